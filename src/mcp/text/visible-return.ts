import { isDeeperThan, type Json } from "../../base/json.ts";
import { ToolError } from "../../base/tool-error.ts";
import type { ResultContent } from "../../message/content.ts";
import {
  type ToolResult,
  type ToolSuccess,
  toolFailure,
  toolSuccess,
  toToolResult,
} from "../../tool/tool-result.ts";
import { visibleJson } from "./visible-json.ts";
import { visibleText } from "./visible-text.ts";

/** Nobody means data of such depth. */
const deepest = 256;

/**
 * What an application has made of a server's result, most of which is still the server's text: as it is
 * where a model sees all of it, else a result without what nobody sees. Data that is nested too deep
 * stays as it is; its text for the model does not.
 */
export function visibleReturn(returned: unknown): unknown {
  const result = toToolResult(returned);
  const content = result.content.map(visiblePart);
  const isVisible =
    content.every((part, index) => part === result.content[index]) &&
    (result.kind !== "success" || visibleData(result.value) === result.value);
  return isVisible ? returned : toVisible(result, content);
}

function toVisible(result: ToolResult, content: readonly ResultContent[]): ToolResult {
  switch (result.kind) {
    case "success":
      return toolSuccess(visibleData(result.value), {
        ...result,
        content: isTextOf(result) ? undefined : content,
      });
    case "error": {
      const { code, message, data } = result.error;
      const facts = data === undefined ? {} : { data: visibleData(data) };
      return toolFailure(new ToolError(visibleText(message), { code, ...facts }), {
        ...result,
        content,
      });
    }
    case "pending":
      return result; // a job of the application's own
  }
}

/** Whether the model is shown the value and nothing else. */
function isTextOf({ value, content }: ToolSuccess): boolean {
  const [only, ...rest] = content;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return rest.length === 0 && only?.kind === "text" && only.text === text;
}

function visiblePart(part: ResultContent): ResultContent {
  if (part.kind !== "text") {
    return part;
  }
  const text = visibleText(part.text);
  return text === part.text ? part : { ...part, text };
}

const visibleData = (data: Json): Json => (isDeeperThan(deepest, data) ? data : visibleJson(data));
