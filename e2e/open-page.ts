import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, type Page } from "playwright-core";

/** A browser's only page; leaving its scope ends the browser and removes all that it kept. */
export interface OpenedPage extends AsyncDisposable {
  readonly page: Page;
  /** What went wrong in the page outside any test's code: uncaught errors, console errors, breaches of policy. */
  readonly errors: readonly string[];
}

/** Debian's Chromium, with nothing in it that calls home, and no way to any host but the loopback. */
const flags: readonly string[] = [
  "--no-sandbox", // it will not start as root, which CI is, with one
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/** The page's own: a program that tries eval and catches its failure leaves no other trace. */
const reportViolations = `addEventListener("securitypolicyviolation", (event) =>
  console.error(event.effectiveDirective + " forbids " + event.blockedURI));`;

/**
 * Opens an address in a headless Chromium of its own.
 *
 * @throws Error where no `chromium` is on the `PATH`.
 */
export async function openPage(url: string): Promise<OpenedPage> {
  const executablePath = findChromium(process.env["PATH"] ?? "");
  const profile = await mkdtemp(join(tmpdir(), "dragoman-chromium-"));
  const removeProfile = (): Promise<void> =>
    rm(profile, { recursive: true, force: true, maxRetries: 5 });
  const options = { executablePath, headless: true, args: [...flags] };
  try {
    const context = await chromium.launchPersistentContext(profile, options);
    await context.addInitScript(reportViolations);
    const page = context.pages()[0] ?? (await context.newPage());
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await page.goto(url);
    return {
      page,
      errors,
      async [Symbol.asyncDispose]() {
        await context.close();
        await removeProfile();
      },
    };
  } catch (error) {
    await removeProfile();
    throw error;
  }
}

function findChromium(path: string): string {
  const candidates = path.split(delimiter).map((folder) => join(folder, "chromium"));
  const found = candidates.find(isExecutable);
  if (found === undefined) {
    throw new Error(
      "These tests need a Chromium, and there is no `chromium` on the PATH. On Debian, install it with: apt-get update && apt-get install --no-install-recommends chromium",
    );
  }
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
