import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { AgentSummary } from "../../src/server/agent-routes.ts";
import type { ServerDescription } from "../../src/server/workbench-routes.ts";
import { AgentsPage } from "../agents/agents-page.tsx";
import { ChatPage } from "../chat/chat-page.tsx";
import { ErrorNotice } from "../pieces/notice.tsx";
import { parseRoute, type Route } from "../pieces/route.ts";
import { useLoaded } from "../pieces/use-loaded.ts";
import { useStore } from "../pieces/use-store.ts";
import { RunsPage } from "../runs/runs-page.tsx";
import { ToolsPage } from "../tools/tools-page.tsx";
import { getJson, signedOut } from "../wire/api.ts";
import { Header } from "./header.tsx";
import { SignIn } from "./sign-in.tsx";

/** The whole page. */
export function App(): VNode {
  const route = useRoute();
  const isSignedOut = useStore(signedOut);
  return (
    <>
      <button
        type="button"
        class="skip-link"
        onClick={() => document.getElementById("main")?.focus()}
      >
        Skip to the content
      </button>
      <Header page={route.page} />
      <main id="main" tabIndex={-1}>
        {isSignedOut ? <SignIn /> : <Pages route={route} />}
      </main>
    </>
  );
}

function Pages({ route }: { readonly route: Route }): VNode {
  const known = useLoaded("server", async (signal) => {
    const [server, agents] = await Promise.all([
      getJson<ServerDescription>("/server", { signal }),
      getJson<readonly AgentSummary[]>("/agents", { signal }),
    ]);
    return { server, agents };
  });
  if (known.value === undefined) {
    return (
      <div class="page">
        {known.error === undefined ? (
          <p class="hint">Loading…</p>
        ) : (
          <ErrorNotice error={known.error} onRetry={known.reload} />
        )}
      </div>
    );
  }
  const { server, agents } = known.value;
  switch (route.page) {
    case "chat":
      return (
        <ChatPage agent={route.agent} session={route.session} agents={agents} server={server} />
      );
    case "agents":
      return <AgentsPage agent={route.agent} agents={agents} />;
    case "tools":
      return <ToolsPage agent={route.agent} tool={route.tool} agents={agents} />;
    case "runs":
      return <RunsPage run={route.run} agents={agents} server={server} />;
  }
}

const titles: Readonly<Record<Route["page"], string>> = {
  chat: "Chat",
  agents: "Agents",
  tools: "Tools",
  runs: "Runs",
};

function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const read = (): void => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
  useEffect(() => {
    document.title = `${titles[route.page]} – Dragoman`;
  }, [route.page]);
  return route;
}
