/**
 * What a server that we start inherits of our environment: what programs need to run at all, and no
 * secret. Functions that a shell exports are left out.
 */
export function inheritedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Readonly<Record<string, string>> {
  const names = platform === "win32" ? windowsNames : posixNames;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value.startsWith("()") ? [] : [[name, value]];
    }),
  );
}

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
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
];
