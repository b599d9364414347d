import type { SandboxSettings } from "../../base/sandbox-settings.ts";

/**
 * What a server that we start inherits of our environment: what programs need to run at all, what
 * they need to reach the network (certificates that this machine trusts, proxies), and no secret.
 * Left out are a proxy whose URL holds user-info and functions that a shell exports.
 */
export function inheritedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Readonly<Record<string, string>> {
  const needed = platform === "win32" ? windowsNames : posixNames;
  const names = [...needed, ...trustNames, ...proxyNames, "NO_PROXY", "no_proxy"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = variableOf(environment, name, platform);
      return value === undefined || value.startsWith("()") || holdsUserInfo(name, value)
        ? []
        : [[name, value]];
    }),
  );
}

/** What of it a program in a sandbox has: where programs are, and proxies where it has a network. */
export function environmentInSandbox(
  inherited: Readonly<Record<string, string>>,
  { network }: SandboxSettings,
): Readonly<Record<string, string>> {
  const proxies = network === "inherit" ? [...proxyNames, "NO_PROXY", "no_proxy"] : [];
  const names = ["PATH", ...proxies];
  return Object.fromEntries(Object.entries(inherited).filter(([name]) => names.includes(name)));
}

/** On Windows a variable goes by one name in any letters: `Path` is `PATH`. */
function variableOf(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  const found =
    platform === "win32" && environment[name] === undefined
      ? Object.keys(environment).find((key) => key.toUpperCase() === name.toUpperCase())
      : name;
  return found === undefined ? undefined : environment[found];
}

/** What a program gets: its own variables go before those that it inherits, on Windows in any letters. */
export function joinedEnvironment(
  inherited: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Readonly<Record<string, string>> {
  if (platform !== "win32") {
    return { ...inherited, ...own };
  }
  const names = new Set(Object.keys(own).map((name) => name.toUpperCase()));
  const rest = Object.entries(inherited).filter(([name]) => !names.has(name.toUpperCase()));
  return { ...Object.fromEntries(rest), ...own };
}

/** Certificates that this machine trusts beside the usual ones; each is the name of a file or folder. */
const trustNames = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

const proxyNames = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** Programs take a proxy without a scheme too, so it need not be a URL: an `@` is enough. */
const holdsUserInfo = (name: string, value: string): boolean =>
  proxyNames.includes(name) && value.includes("@");

const posixNames = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

const windowsNames = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "PROGRAMW6432",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];
