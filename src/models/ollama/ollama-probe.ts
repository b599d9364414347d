import { isJsonObject, type Json, parseJson } from "../../base/json.ts";
import { sendHttpRequest } from "../../http/send-http-request.ts";
import type { ModelCapabilities } from "../../model/model.ts";
import { toOllamaUrl } from "./ollama-host.ts";

/** How long an answer may take, in milliseconds. */
const probeMs = 500;

/** The model that was pulled last; `undefined` where no Ollama answers or it has no model. */
export async function newestOllamaModel(host: string | undefined): Promise<string | undefined> {
  const body = await ask(host, "/api/tags");
  const models = isJsonObject(body) && Array.isArray(body["models"]) ? body["models"] : [];
  const [newest] = models
    .filter(isJsonObject)
    .toSorted((left, right) => `${right["modified_at"]}`.localeCompare(`${left["modified_at"]}`));
  return typeof newest?.["name"] === "string" ? newest["name"] : undefined;
}

/** What a model can do, as far as its server tells. */
export async function ollamaCapabilities(
  host: string | undefined,
  model: string,
): Promise<Partial<ModelCapabilities>> {
  const body = await ask(host, "/api/show", { model });
  const told = isJsonObject(body) ? body["capabilities"] : undefined;
  return Array.isArray(told)
    ? { tools: told.includes("tools"), images: told.includes("vision") }
    : {};
}

async function ask(
  host: string | undefined,
  path: string,
  content?: Json,
): Promise<Json | undefined> {
  try {
    const { status, text } = await sendHttpRequest({
      method: content === undefined ? "GET" : "POST",
      url: new URL(path, toOllamaUrl(host)),
      connectTimeoutMs: probeMs,
      readTimeoutMs: probeMs,
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    }).then(async (response) => ({ status: response.status, text: await response.text() }));
    return status === 200 ? parseJson(text) : undefined;
  } catch {
    return undefined; // whatever is wrong there, it is not a usable Ollama
  }
}
