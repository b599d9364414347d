import { expect, test } from "vitest";
import { inheritedEnvironment } from "./inherited-environment.ts";

const trust = {
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  SSL_CERT_FILE: "/ca.pem",
  SSL_CERT_DIR: "/certificates",
};
const proxies = {
  HTTP_PROXY: "http://proxy.example:3128",
  http_proxy: "proxy.example:3128",
  HTTPS_PROXY: "http://proxy.example:3128",
  https_proxy: "http://proxy.example:3128",
  ALL_PROXY: "socks5://proxy.example",
  all_proxy: "socks5://proxy.example",
};
const direct = { NO_PROXY: "localhost,.example", no_proxy: "me@host" };

test.each(["linux", "darwin", "win32"] as const)(
  "on %s a server inherits what it needs to run and to reach the network, and nothing else",
  (platform) => {
    const secrets = {
      GITHUB_TOKEN: "t",
      NODE_OPTIONS: "--require /x.js",
      LD_PRELOAD: "/x.so",
      npm_config_registry: "https://user:password@registry.example",
      npm_config__auth: "t",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      FTP_PROXY: "http://proxy.example",
    };
    const wanted = { PATH: "/bin", ...trust, ...proxies, ...direct };
    expect(inheritedEnvironment({ ...wanted, ...secrets }, platform)).toEqual(wanted);
  },
);

test.each(Object.keys(proxies))("%s with user-info is not inherited", (name) => {
  for (const value of [
    "http://user:password@proxy.example:3128",
    "http://user@proxy.example",
    "user:password@proxy.example:3128",
    "http://user:p@ss/word@proxy.example",
  ]) {
    expect(inheritedEnvironment({ PATH: "/bin", [name]: value }, "linux")).toEqual({
      PATH: "/bin",
    });
  }
});

test("a function that a shell exports is not inherited", () => {
  expect(inheritedEnvironment({ TERM: "() { :; }", HTTP_PROXY: "() { :; }" }, "linux")).toEqual({});
});
