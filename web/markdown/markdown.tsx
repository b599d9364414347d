import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { CodeBlock } from "../pieces/code-block.tsx";
import { safeLink } from "./safe-link.ts";

/** Longer texts are shown as they are: nobody reads them, and laying them out would stop the page. */
const longestMarkdown = 100_000;

/**
 * A text of a model's, laid out. It is read into tokens and never into HTML: tags in it are shown as
 * they are written, links lead only where {@link safeLink} lets them, and pictures are not loaded, since
 * their addresses could carry away what the model has read.
 */
export function Markdown({
  text,
  level = 3,
}: {
  readonly text: string;
  /** Of its largest headings: the page has headings of its own above these. */
  readonly level?: number;
}): VNode {
  const blocks = useMemo(
    () => (text.length > longestMarkdown ? undefined : lexer(text, { gfm: true })),
    [text],
  );
  return (
    <div class="markdown">
      {blocks === undefined ? (
        <pre class="plain">{text}</pre>
      ) : (
        <Blocks tokens={blocks} level={level} />
      )}
    </div>
  );
}

function Blocks({
  tokens,
  level,
}: {
  readonly tokens: readonly Token[];
  readonly level: number;
}): VNode {
  return (
    <>
      {tokens.map((token, index) => (
        <Block key={index} token={token} level={level} />
      ))}
    </>
  );
}

function Block({
  token: given,
  level,
}: {
  readonly token: Token;
  readonly level: number;
}): ComponentChildren {
  const token = given as MarkedBlock; // what the lexer gives without extensions
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const Tag = `h${Math.min(6, token.depth + level - 1)}` as "h3";
      return (
        <Tag>
          <Inlines tokens={token.tokens} />
        </Tag>
      );
    }
    case "paragraph":
      return (
        <p>
          <Inlines tokens={token.tokens} />
        </p>
      );
    case "text":
      return <Inlines tokens={token.tokens ?? [token]} />;
    case "code":
      return <CodeBlock code={token.text} language={token.lang?.split(/\s/)[0]} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} level={level} />
        </blockquote>
      );
    case "list":
      return <List list={token} level={level} />;
    case "table":
      return <Table table={token} />;
    case "hr":
      return <hr />;
    default:
      return <p>{given.raw}</p>;
  }
}

type MarkedBlock =
  | Tokens.Space
  | Tokens.Def
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.Code
  | Tokens.Blockquote
  | Tokens.List
  | Tokens.Table
  | Tokens.Hr;

function List({ list, level }: { readonly list: Tokens.List; readonly level: number }): VNode {
  const items = list.items.map((item, index) => (
    <li key={index} class={item.task ? "task" : undefined}>
      {item.task && (
        <input type="checkbox" checked={item.checked === true} disabled aria-label="done" />
      )}
      <Blocks tokens={item.tokens.filter(({ type }) => type !== "checkbox")} level={level} />
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { readonly table: Tokens.Table }): VNode {
  const aligned = (index: number): string | undefined => table.align[index] ?? undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys
    <figure class="table-frame" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} data-align={aligned(index)}>
                <Inlines tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, index) => (
                <td key={index} data-align={aligned(index)}>
                  <Inlines tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

function Inlines({ tokens }: { readonly tokens: readonly Token[] | undefined }): VNode {
  return (
    <>
      {(tokens ?? []).map((token, index) => (
        <Inline key={index} token={token} />
      ))}
    </>
  );
}

type MarkedInline =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Escape
  | Tokens.Text;

function Inline({ token: given }: { readonly token: Token }): ComponentChildren {
  const token = given as MarkedInline; // likewise
  switch (token.type) {
    case "strong":
      return (
        <strong>
          <Inlines tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return (
        <Link href={token.href} raw={token.raw}>
          <Inlines tokens={token.tokens} />
        </Link>
      );
    case "image":
      return (
        <Link href={token.href} raw={token.raw}>
          {`[picture: ${token.text || token.href}]`}
        </Link>
      );
    case "escape":
    case "text":
      return "tokens" in token && token.tokens !== undefined ? (
        <Inlines tokens={token.tokens} />
      ) : (
        token.text
      );
    default:
      return given.raw;
  }
}

/** A link that leads outside, in a window of its own that does not know this one. */
function Link({
  href,
  raw,
  children,
}: {
  readonly href: string;
  readonly raw: string;
  readonly children: ComponentChildren;
}): VNode {
  const target = safeLink(href);
  if (target === undefined) {
    return <span title="This address is not opened from here.">{raw}</span>;
  }
  return (
    <a href={target} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
