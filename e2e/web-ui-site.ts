import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { build } from "vite";
import type { Assembly } from "../src/agent/assembly.ts";
import { createServer } from "../src/server/create-server.ts";
import type { ServerOptions } from "../src/server/server-options.ts";
import { type OpenedPage, openPage } from "./open-page.ts";

/** A server with the web UI as it is now, and a browser that shows it. */
export interface WebUiSite extends AsyncDisposable {
  readonly url: string;
  readonly page: Page;
  /** Console errors, uncaught errors and breaches of the page's policy. */
  readonly errors: readonly string[];
  /** Addresses that the page has asked for outside of its own server. */
  readonly strangers: readonly string[];
  /** Shows a route, such as `/runs`. */
  show(route: string): Promise<void>;
  /** Begins a conversation with an agent and says something. */
  say(agent: string, text: string): Promise<void>;
}

/** Builds the UI into a folder of its own: `dist` is another test's. */
export async function buildWebUi(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-web-"));
  const configFile = join(import.meta.dirname, "../web/vite.config.ts");
  await build({ configFile, logLevel: "silent", build: { outDir: folder } });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Serves agents with the UI, and opens it. */
export async function openWebUi(
  folder: string,
  agents: readonly Assembly[],
  options: Partial<ServerOptions> = {},
): Promise<WebUiSite> {
  const stack = new AsyncDisposableStack();
  const agUi = { onDisconnect: "continue" } as const;
  const server = createServer({ agents, agUi, log: "none", ui: { folder }, ...options });
  stack.defer(() => server.close({ graceMs: 0 }));
  const { url } = await server.listen();
  const opened: OpenedPage = stack.use(await openPage("about:blank"));
  const { page, errors } = opened;
  const strangers: string[] = [];
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(`${url}/`) && !/^(data|blob|about):/.test(address)) {
      strangers.push(address);
    }
  });
  const show = async (route: string): Promise<void> => {
    await page.goto(`${url}/ui/#${route}`);
  };
  return {
    url,
    page,
    errors,
    strangers,
    show,
    async say(agent, text) {
      await show(`/chat/${agent}`);
      await page
        .getByRole("heading", { name: `Ask ${agent}` })
        .or(page.getByText(`Ask ${agent}`))
        .first()
        .waitFor();
      await page.getByLabel(`Message to ${agent}`).fill(text);
      await page.keyboard.press("Enter");
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/**
 * How long a page's main thread computes while something is done, in milliseconds; what it only waits
 * for the machine does not count.
 */
export async function workOf(page: Page, work: () => Promise<unknown>): Promise<number> {
  const debuggerOf = await page.context().newCDPSession(page);
  await debuggerOf.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async (): Promise<number> => {
    const { metrics } = await debuggerOf.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  };
  const before = await spent();
  await work();
  const after = await spent();
  await debuggerOf.detach();
  return after - before;
}

/** One rule of accessibility that a page breaks. */
interface Breach {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly failureSummary: string;
  }[];
}

const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe-core finds wrong with the page as it is shown, a line each. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  // By the debugger, which no policy of the page's holds back.
  await page.evaluate(await readFile(axeFile, "utf8"));
  const breaches = (await page.evaluate(
    "axe.run().then(({ violations }) => violations)",
  )) as Breach[]; // as axe gives them
  return breaches.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}
