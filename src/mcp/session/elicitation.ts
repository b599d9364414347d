import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { checkJsonSchema } from "../../base/json-schema.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { measureEntry } from "../definitions/tool-definition.ts";
import { visibleText } from "../text/visible-text.ts";
import type { ResolvedLimits } from "../wire/mcp-limits.ts";
import { RefusedRequest } from "./refused-request.ts";
import type { Elicitation, ElicitationAnswer } from "./server-callbacks.ts";

const longestMessage = 16 * 1024;
const longestUrl = 8 * 1024;

/** What a server asks of the user, checked. @throws RefusedRequest */
export function toElicitation(params: JsonObject, limits: ResolvedLimits): Elicitation {
  const { mode = "form", message, requestedSchema, url } = params;
  const words = visibleText(typeof message === "string" ? message : "").slice(0, longestMessage);
  switch (mode) {
    case "form":
      return { mode, message: words, requestedSchema: checkedSchema(requestedSchema, limits) };
    case "url":
      return { mode, message: words, ...checkedUrl(url) };
    default:
      throw new RefusedRequest("Only the modes form and url of elicitation are known.");
  }
}

function checkedSchema(schema: Json | undefined, limits: ResolvedLimits): JsonObject {
  if (!isJsonObject(schema) || schema["type"] !== "object") {
    throw new RefusedRequest("The requestedSchema must describe an object.");
  }
  const { nodes, depth } = measureEntry(schema, limits);
  if (nodes > limits.maxDefinitionNodes || depth > limits.maxDefinitionDepth) {
    throw new RefusedRequest("The requestedSchema is too large.");
  }
  return schema;
}

/** Only what a browser shows as a page; never a file or a script. */
function checkedUrl(value: Json | undefined): { readonly url: string; readonly host: string } {
  const url = typeof value === "string" && value.length <= longestUrl ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RefusedRequest("The url must be an http: or https: URL of bearable length.");
  }
  return { url: url.href, host: url.host };
}

/**
 * The user's answer as it is sent: with the defaults of the schema where it says nothing.
 *
 * @throws Error where it is no answer, or its content does not fit the schema.
 */
export async function toElicitResult(
  asked: Elicitation,
  answer: ElicitationAnswer,
): Promise<JsonObject> {
  const { action }: Partial<ElicitationAnswer> = isJsonObject(answer) ? answer : {};
  switch (action) {
    case "decline":
    case "cancel":
      return { action };
    case "accept":
      break;
    default:
      throw new Error(
        `onElicitation must return { action: "accept", content }, { action: "decline" } or { action: "cancel" }.`,
      );
  }
  if (asked.mode === "url") {
    return { action };
  }
  const given = answer.action === "accept" ? (answer.content ?? {}) : {};
  const content = { ...defaultsOf(asked.requestedSchema), ...withoutUndefined(given) };
  const check = await checkJsonSchema(asked.requestedSchema, content, { formats: true });
  if (check.kind === "invalid") {
    const issues = check.issues.map(({ path, message }) => `${path || "the answer"} ${message}`);
    throw new Error(
      `The content that onElicitation returned does not fit the form: ${issues.join("; ")}.`,
    );
  }
  return { action, content };
}

function defaultsOf({ properties }: JsonObject): { [name: string]: Json } {
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.flatMap(([name, property]) => {
      const value = isJsonObject(property) ? property["default"] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
