import type { VNode } from "preact";
import { Icon } from "./icon.tsx";
import { formatRoute, type Route } from "./route.ts";

/** The way back to a list that is not beside what is shown, since there is no room for both. */
export function BackLink({
  to,
  label,
  isAlways = false,
}: {
  readonly to: Route;
  readonly label: string;
  readonly isAlways?: boolean;
}): VNode {
  return (
    <a class={`back-link ${isAlways ? "" : "narrow-only"}`} href={formatRoute(to)}>
      <Icon name="back" />
      {label}
    </a>
  );
}
