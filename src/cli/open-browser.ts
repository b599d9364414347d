import { spawn } from "node:child_process";

/**
 * Opens a page in the person's browser. No shell sees the URL, which is a stranger's. Resolves with
 * whether there was a program for it.
 */
export function openBrowser(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [command = "", ...args] = openers[platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: "ignore", detached: true, shell: false });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref(); // the browser outlives us
      resolve(true);
    });
  });
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
