/** What the page shows; it stands in the fragment of its address, which no server is told. */
export type Route =
  | { readonly page: "chat"; readonly agent?: string; readonly session?: string }
  | { readonly page: "agents"; readonly agent?: string }
  | { readonly page: "tools"; readonly agent?: string; readonly tool?: string }
  | { readonly page: "runs"; readonly run?: string };

/** Reads a fragment, with or without `#`; what it does not know is the chat. */
export function parseRoute(fragment: string): Route {
  const [page, first, second] = fragment
    .replace(/^#?\/?/, "")
    .split("/")
    .map(decoded);
  switch (page) {
    case "agents":
      return { page, ...(first ? { agent: first } : {}) };
    case "tools":
      return { page, ...(first ? { agent: first } : {}), ...(second ? { tool: second } : {}) };
    case "runs":
      return { page, ...(first ? { run: first } : {}) };
    default:
      return {
        page: "chat",
        ...(first ? { agent: first } : {}),
        ...(second ? { session: second } : {}),
      };
  }
}

/** The fragment of a route, with `#`. */
export function formatRoute(route: Route): string {
  const parts =
    route.page === "chat"
      ? [route.agent, route.session]
      : route.page === "tools"
        ? [route.agent, route.tool]
        : [route.page === "agents" ? route.agent : route.run];
  const given = parts.filter((part) => part !== undefined);
  return `#/${[route.page, ...given.map(encodeURIComponent)].join("/")}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
