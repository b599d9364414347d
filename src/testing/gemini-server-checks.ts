import { isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { aboutGeminiJsonSchema, aboutGeminiSchema } from "./gemini-server-schemas.ts";

/** What a strict Gemini would refuse in a request, if anything. */
export function complaintAbout(body: Json | undefined, path: string): string | undefined {
  const [, model, method] = /^\/v1beta\/models\/([^/:?]+):(\w+)/.exec(path) ?? [];
  if (model === undefined || !/^(?:streamG|g)enerateContent$/.test(method ?? "")) {
    return `there is nothing at ${path}`;
  }
  if (!isJsonObject(body)) {
    return "the body is no JSON object";
  }
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  return unknown === undefined
    ? (aboutContents(body["contents"], model) ?? aboutTools(body) ?? aboutConfig(body, model))
    : `Unknown name "${unknown}": Cannot find field.`;
}

const fields = [
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"],
  ...["safetySettings", "cachedContent"],
];

function aboutContents(contents: Json | undefined, model: string): string | undefined {
  if (!Array.isArray(contents) || contents.length === 0 || !contents.every(isJsonObject)) {
    return "contents is no list of contents";
  }
  const isChecked = !/^gemini-[12]/.test(model);
  const question = contents.findLastIndex((content) => isQuestion(content));
  for (const [index, content] of contents.entries()) {
    const complaint =
      aboutParts(content, index) ??
      aboutPairing(content, contents[index + 1], index) ??
      (isChecked && index > question ? aboutSignature(content, index) : undefined);
    if (complaint !== undefined) {
      return complaint;
    }
  }
  return undefined;
}

const partsOf = (content: JsonObject | undefined): readonly JsonObject[] =>
  Array.isArray(content?.["parts"]) ? content["parts"].filter(isJsonObject) : [];

const fieldsOf = (content: JsonObject | undefined, field: string): readonly JsonObject[] =>
  partsOf(content).flatMap((part) => (isJsonObject(part[field]) ? [part[field]] : []));

/** What the user says: with it a turn begins, and signatures of turns before are not asked for. */
const isQuestion = (content: JsonObject): boolean =>
  content["role"] === "user" && fieldsOf(content, "functionResponse").length === 0;

const dataFields = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];

function aboutParts(content: JsonObject, index: number): string | undefined {
  const parts = partsOf(content);
  if (!["user", "model"].includes(`${content["role"]}`) || parts.length === 0) {
    return `contents[${index}] has no role of user or model, or no parts`;
  }
  for (const part of parts) {
    const data = dataFields.filter((field) => part[field] !== undefined);
    if (data.length !== 1 || (part["text"] === "" && part["thoughtSignature"] === undefined)) {
      return `contents[${index}].parts: required oneof field 'data' must have one initialized field`;
    }
    const { text, functionResponse } = part;
    const texts = JSON.stringify([
      text,
      isJsonObject(functionResponse) && functionResponse["response"],
    ]);
    if (/[A-Za-z0-9+/]{2000}/.test(texts)) {
      return `contents[${index}] holds base64 as text`;
    }
  }
  return undefined;
}

/** The responses have the names, and the ids where there are any, of the calls before them. */
function aboutPairing(
  content: JsonObject,
  next: JsonObject | undefined,
  index: number,
): string | undefined {
  const calls = fieldsOf(content, "functionCall");
  const wrong = calls.find(
    ({ name, args }) => typeof name !== "string" || (args !== undefined && !isJsonObject(args)),
  );
  if (wrong !== undefined) {
    return `contents[${index}] holds the function call ${JSON.stringify(wrong)}`;
  }
  const responses = fieldsOf(next, "functionResponse");
  const labels = (of: readonly JsonObject[]): string =>
    JSON.stringify(of.map(({ id = null, name }) => [id, name]));
  const isAnswered = calls.length === 0 || labels(calls) === labels(responses);
  const isAsked = calls.length > 0 || responses.length === 0;
  return isAnswered && isAsked
    ? undefined
    : `the function response parts after contents[${index}] are not those of its function call parts: the calls ${labels(calls)} have no result each`;
}

function aboutSignature(content: JsonObject, index: number): string | undefined {
  const call = partsOf(content).find((part) => part["functionCall"] !== undefined);
  return call === undefined || typeof call["thoughtSignature"] === "string"
    ? undefined
    : `Function call is missing a thought_signature in functionCall parts: contents[${index}]`;
}

function aboutTools({ tools, toolConfig }: JsonObject): string | undefined {
  if (tools === undefined) {
    return toolConfig === undefined ? undefined : "toolConfig is only allowed with tools";
  }
  const lists = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  const declarations = lists
    .flatMap((tool) => tool["functionDeclarations"] ?? [])
    .filter(isJsonObject);
  const names = declarations.map(({ name }) => `${name}`);
  const bad = names.find((name) => !/^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/.test(name));
  if (bad !== undefined || new Set(names).size < names.length || names.length === 0) {
    return `the function declarations ${names.join(", ")} have no valid names of their own`;
  }
  return declarations.map(aboutDeclaration).find((complaint) => complaint !== undefined);
}

function aboutDeclaration({
  name,
  parameters,
  parametersJsonSchema,
}: JsonObject): string | undefined {
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    return `${name} has parameters and parametersJsonSchema`;
  }
  const complaint =
    parameters === undefined
      ? aboutGeminiJsonSchema(parametersJsonSchema)
      : aboutGeminiSchema(parameters);
  return complaint && `${name}: ${complaint}`;
}

function aboutConfig({ generationConfig, tools }: JsonObject, model: string): string | undefined {
  const config = isJsonObject(generationConfig) ? generationConfig : {};
  const { responseSchema, responseMimeType: type, thinkingConfig } = config;
  if (type !== undefined && tools !== undefined && /^gemini-[12]/.test(model)) {
    return "Function calling with a response mime type: 'application/json' is unsupported";
  }
  if (responseSchema !== undefined && type !== "application/json") {
    return "responseSchema is only allowed with the responseMimeType application/json";
  }
  const isLevel = isJsonObject(thinkingConfig) && thinkingConfig["thinkingLevel"] !== undefined;
  if (isLevel && /^gemini-[12]/.test(model)) {
    return "Thinking level is not supported for this model.";
  }
  return responseSchema === undefined ? undefined : aboutGeminiSchema(responseSchema);
}
