import type { VNode } from "preact";
import { Icon, type IconName } from "../pieces/icon.tsx";
import type { Route } from "../pieces/route.ts";

const pages: readonly {
  readonly page: Route["page"];
  readonly label: string;
  readonly icon: IconName;
}[] = [
  { page: "chat", label: "Chat", icon: "chat" },
  { page: "agents", label: "Agents", icon: "agent" },
  { page: "tools", label: "Tools", icon: "tool" },
  { page: "runs", label: "Runs", icon: "run" },
];

/** The name of the place, and the ways through it. */
export function Header({ page: current }: { readonly page: Route["page"] }): VNode {
  return (
    <header class="site-header">
      <a class="brand" href="#/chat" aria-label="Dragoman">
        <Mark />
        <span>Dragoman</span>
      </a>
      <nav aria-label="Pages">
        <ul>
          {pages.map(({ page, label, icon }) => (
            <li key={page}>
              <a href={`#/${page}`} aria-current={page === current ? "page" : undefined}>
                <Icon name={icon} />
                <span>{label}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

function Mark(): VNode {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <path class="mark-one" d="M3 8.5A5.5 5.5 0 0 1 8.5 3H15v11l-6 6h-.5A5.5 5.5 0 0 1 3 14.5z" />
      <path
        class="mark-two"
        d="M29 23.5a5.5 5.5 0 0 1-5.5 5.5H17V18l6-6h.5a5.5 5.5 0 0 1 5.5 5.5z"
      />
    </svg>
  );
}
