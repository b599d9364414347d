import { expect, test } from "vitest";
import { isLoopbackHost } from "./loopback-host.ts";

test.each(["localhost", "app.localhost", "LOCALHOST", "127.0.0.1", "127.9.8.7", "[::1]", "::1"])(
  "%s is this machine",
  (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  },
);

test.each(["localhost.example", "notlocalhost", "127.example.com", "10.0.0.1", "[::2]", "0.0.0.0"])(
  "%s is not",
  (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  },
);
