import type { VNode } from "preact";
import type { DescribedServer, DescribedTool, PinState } from "../../src/server/agent-tools.ts";
import type { ToolAnnotations } from "../../src/tool/tool.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { BackLink } from "../pieces/back-link.tsx";
import { Badge, type Tone } from "../pieces/badge.tsx";
import { Disclosure } from "../pieces/disclosure.tsx";
import { LongText } from "../pieces/long-text.tsx";
import { ToolTrial } from "./tool-trial.tsx";

/** All that there is to know of one tool, and a way to try it. */
export function ToolDetails({
  agent,
  tool,
  server,
}: {
  readonly agent: string;
  readonly tool: DescribedTool;
  readonly server: DescribedServer | undefined;
}): VNode {
  const { name, title, description, sourceName, annotations = {}, pin } = tool;
  return (
    <div class="page">
      <BackLink to={{ page: "tools", agent }} label="Tools" />
      <header class="page-head">
        <h1 class="mono">{name}</h1>
      </header>
      {title !== undefined && title !== name && <p class="lead">{title}</p>}
      <div class="badges">
        {hints(annotations).map(({ label, tone, title: why }) => (
          <Badge key={label} tone={tone} title={why}>
            {label}
          </Badge>
        ))}
        {pin !== undefined && (
          <Badge tone={pins[pin].tone} title={pins[pin].title}>
            {pins[pin].label}
          </Badge>
        )}
      </div>
      <Markdown text={description} level={2} />
      <dl class="facts">
        <dt>From</dt>
        <dd>
          {tool.server === undefined ? "the application" : `the server ${tool.server}`}
          {sourceName !== undefined && sourceName !== name && (
            <>
              , where it is called <code>{sourceName}</code>
            </>
          )}
        </dd>
        {server?.serverInfo !== undefined && (
          <>
            <dt>Server</dt>
            <dd>{`${server.serverInfo.name} ${server.serverInfo.version}`}</dd>
          </>
        )}
      </dl>
      <Schemas tool={tool} />
      <ToolTrial agent={agent} tool={tool} />
    </div>
  );
}

function Schemas({ tool: { inputSchema, outputSchema } }: { readonly tool: DescribedTool }): VNode {
  return (
    <>
      <Disclosure class="schema" summary="Schema of the arguments">
        {() => <LongText text={JSON.stringify(inputSchema, null, 2)} label="Schema" />}
      </Disclosure>
      {outputSchema !== undefined && (
        <Disclosure class="schema" summary="Schema of the result">
          {() => <LongText text={JSON.stringify(outputSchema, null, 2)} label="Schema" />}
        </Disclosure>
      )}
    </>
  );
}

interface Hint {
  readonly label: string;
  readonly tone: Tone;
  readonly title: string;
}

const claim = "The tool says so of itself; a server may say anything.";

function hints({ readOnly, destructive, idempotent, openWorld }: ToolAnnotations): readonly Hint[] {
  const told: readonly (readonly [boolean | undefined, string, Tone])[] = [
    [readOnly, "only reads", "good"],
    [destructive, "may destroy", "bad"],
    [idempotent, "may be repeated", "neutral"],
    [openWorld, "reaches outside", "wait"],
  ];
  return told.flatMap(([holds, label, tone]) =>
    holds === true ? [{ label, tone, title: claim }] : [],
  );
}

const pins: Readonly<Record<PinState, Hint>> = {
  pinned: {
    label: "pinned",
    tone: "good",
    title: "It is what was pinned; tools that are not are kept from the model.",
  },
  watched: {
    label: "pinned, watched",
    tone: "good",
    title: "It is pinned; runs tell where it is not what it was.",
  },
  new: {
    label: "not pinned",
    tone: "wait",
    title: "Others of this server are pinned. dragoman mcp pin pins it.",
  },
};
