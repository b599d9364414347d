import { spawn } from "node:child_process";

/**
 * Opens a page in the person's browser. No shell sees the URL, which is a stranger's. Resolves with
 * whether there was a program for it.
 */
export function openBrowser(
  url: string,
  machine: Parameters<typeof openerOf>[0],
): Promise<boolean> {
  const [command = "", ...args] = openerOf(machine);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: "ignore", detached: true, shell: false });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref(); // the browser outlives us
      resolve(true);
    });
  });
}

/** The program for it, with its arguments. */
export function openerOf({
  platform,
  env,
}: {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}): readonly string[] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32": {
      // With its folder: Windows looks for a program in the current one first.
      const system = env["SYSTEMROOT"] ?? env["SystemRoot"] ?? "C:\\Windows";
      return [`${system}\\System32\\rundll32.exe`, "url.dll,FileProtocolHandler"];
    }
    default:
      return ["xdg-open"];
  }
}
