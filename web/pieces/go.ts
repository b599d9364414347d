import { formatRoute, type Route } from "./route.ts";

/** Shows something else. @param how whether one can go back to what was shown. */
export function go(route: Route, how: "push" | "replace" = "push"): void {
  const fragment = formatRoute(route);
  if (how === "push") {
    location.hash = fragment;
  } else {
    history.replaceState(null, "", fragment);
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
}
