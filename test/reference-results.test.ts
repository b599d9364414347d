import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../src/base/json.ts";
import { mcpToolset } from "../src/mcp/toolset/mcp-toolset.ts";
import type { ResultContent } from "../src/message/content.ts";
import { scriptedModel } from "../src/testing/scripted-model.ts";
import type { McpTransport } from "../src/tool/mcp-server-config.ts";
import { agentOf, collect } from "./agent-fixture.ts";
import { referenceServer, runningChildren } from "./fixtures/mcp/servers.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-results-"));
  const files = {
    "a.png": Buffer.from("89504e470d0a1a0a", "hex"),
    "a.mp3": "sound",
    "a.bin": "\0\u0001",
  };
  await Promise.all(
    Object.entries({ ...files, "a.txt": "one\ntwo" }).map(([name, bytes]) =>
      writeFile(join(folder, name), bytes),
    ),
  );
});
afterAll(async () => {
  expect(runningChildren()).toEqual([]);
  await rm(folder, { recursive: true });
});

type ServerName = "everything" | "filesystem" | "memory";

const transports: Readonly<Record<ServerName, () => McpTransport>> = {
  everything: () => referenceServer("everything", { args: ["stdio"] }),
  filesystem: () => referenceServer("filesystem", { args: [folder] }),
  memory: () =>
    referenceServer("memory", { env: { MEMORY_FILE_PATH: join(folder, "memory.json") } }),
};

interface Row {
  /** What the model calls, in order; what is expected is of the last. */
  readonly calls: readonly (readonly [name: string, input?: JsonObject])[];
  /** What the program gets: a value, or the message of an error. */
  readonly value?: unknown;
  readonly error?: RegExp;
  /** What the model is shown, a pattern for each part; of media their kind. */
  readonly shown: readonly RegExp[];
  /** What the run's artifacts are. */
  readonly artifacts?: readonly object[];
}

const file = (name: string): string => join(folder, name);
const ann = { name: "Ann", entityType: "person", observations: ["tea"] };
const graph = { entities: [ann], relations: [] };
const stored = /^sha256-/;
const id = (pattern: RegExp): string => expect.stringMatching(pattern) as string;

/** Functions, because the folder is known only when the tests run. */
const rows: Readonly<Record<string, readonly [ServerName, () => Row]>> = {
  text: [
    "everything",
    () => ({ calls: [["echo", { message: "hi" }]], value: "Echo: hi", shown: [/^Echo: hi$/] }),
  ],
  "an image between texts": [
    "everything",
    () => ({
      calls: [["get-tiny-image"]],
      value: expect.stringMatching(/^Here's the image/),
      shown: [/^Here's the image/, /^<image image\/png>$/, /^The image above/],
      artifacts: [{ id: id(stored), mediaType: "image/png", size: 4033 }],
    }),
  ],
  "an image with annotations": [
    "everything",
    () => ({
      calls: [["get-annotated-message", { messageType: "error", includeImage: true }]],
      value: "Error: Operation failed",
      shown: [/^Error: Operation failed$/, /^<image image\/png>$/],
      artifacts: [{ mediaType: "image/png" }],
    }),
  ],
  "an embedded text": [
    "everything",
    () => ({
      calls: [["get-resource-reference", { resourceType: "Text", resourceId: 1 }]],
      value: expect.stringContaining("This is a plaintext resource"),
      shown: [/^Returning/, /^Resource 1: This is a plaintext resource/, /^You can access/],
      artifacts: [{ id: id(stored), mediaType: "text/plain", name: "1" }],
    }),
  ],
  "an embedded blob of text": [
    "everything",
    () => ({
      calls: [["get-resource-reference", { resourceType: "Blob", resourceId: 2 }]],
      shown: [/^Returning/, /^Resource 2: This is a base64 blob/, /^You can access/],
      artifacts: [{ id: id(stored), mediaType: "text/plain", name: "2" }],
    }),
  ],
  "links to resources, of which the model reads one": [
    "everything",
    () => ({
      calls: [
        ["get-resource-links", { count: 1 }],
        ["read_artifact", { id: "ref" }],
      ],
      value: expect.objectContaining({ text: expect.stringContaining("base64 blob") }),
      shown: [/^\[Characters 0 to \d+ of \d+\]\nResource 1: This is a base64 blob/],
      artifacts: [
        {
          id: id(/^ref-/),
          reference: "demo://resource/dynamic/blob/1",
          server: "ref",
          name: "Blob Resource 1",
        },
      ],
    }),
  ],
  "structured content that the text says, too": [
    "everything",
    () => ({
      calls: [["get-structured-content", { location: "New York" }]],
      value: { temperature: 33, conditions: "Cloudy", humidity: 82 },
      shown: [/^\{"temperature":33/],
    }),
  ],
  "an embedded blob that nobody can read": [
    "everything",
    () => ({
      calls: [
        [
          "gzip-file-as-resource",
          { name: "z.gz", data: "data:text/plain,hello", outputType: "resource" },
        ],
      ],
      value: [{ kind: "file", mediaType: "application/gzip" }],
      shown: [
        /^\[The file "z\.gz" \(application\/gzip, \d+ bytes\) is artifact sha256-\w+\. You cannot see it\.\]$/,
      ],
      artifacts: [{ id: id(stored), mediaType: "application/gzip", name: "z.gz" }],
    }),
  ],
  "a link alone": [
    "everything",
    () => ({
      calls: [
        [
          "gzip-file-as-resource",
          { name: "y.gz", data: "data:text/plain,hello", outputType: "resourceLink" },
        ],
      ],
      value: [
        { kind: "link", reference: "demo://resource/session/y.gz", mediaType: "application/gzip" },
      ],
      shown: [
        /^\[The file "y\.gz" \(application\/gzip\) is at demo:\/\/resource\/session\/y\.gz, as artifact ref-\w+\. Read/,
      ],
      artifacts: [{ reference: "demo://resource/session/y.gz" }],
    }),
  ],
  "a text that is wrapped": [
    "filesystem",
    () => ({
      calls: [["read_text_file", { path: file("a.txt") }]],
      value: { content: "one\ntwo" },
      shown: [/^one\ntwo$/],
    }),
  ],
  "an image file": [
    "filesystem",
    () => ({
      calls: [["read_media_file", { path: file("a.png") }]],
      value: { content: [{ type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" }] },
      shown: [/^<image image\/png>$/],
      artifacts: [{ id: id(stored), mediaType: "image/png", size: 8 }],
    }),
  ],
  "a sound": [
    "filesystem",
    () => ({
      calls: [["read_media_file", { path: file("a.mp3") }]],
      shown: [/^<audio audio\/mpeg>$/],
      artifacts: [{ mediaType: "audio/mpeg", size: 5 }],
    }),
  ],
  "another file": [
    "filesystem",
    () => ({
      calls: [["read_media_file", { path: file("a.bin") }]],
      shown: [/^\[The file "a\.bin" \(application\/octet-stream, 2 bytes\) is artifact/],
      artifacts: [{ mediaType: "application/octet-stream", name: "a.bin", size: 2 }],
    }),
  ],
  "an error of the server": [
    "filesystem",
    () => ({
      calls: [["read_text_file", { path: "/etc/hostname" }]],
      error: /outside allowed directories/,
      shown: [/^Access denied .* outside allowed directories/],
    }),
  ],
  "a list that is wrapped": [
    "memory",
    () => ({
      calls: [["create_entities", { entities: [ann] }]],
      value: { entities: [ann] },
      shown: [/^\[\s*\{\s*"name": "Ann"/],
    }),
  ],
  "an object that the text says with other blanks": [
    "memory",
    () => ({
      calls: [["create_entities", { entities: [ann] }], ["read_graph"]],
      value: graph,
      shown: [/^\{\s*"entities": \[/],
    }),
  ],
  "data that says more than its text": [
    "memory",
    () => ({
      calls: [["delete_entities", { entityNames: ["Nobody"] }]],
      value: { success: true, message: "Entities deleted successfully" },
      shown: [/^Entities deleted successfully$/, /^\{"success":true/],
    }),
  ],
};

test.each(Object.entries(rows))(
  "G-T8, G-T11: from a reference server, %s comes out right for model, program and artifacts",
  async (_what, [server, makeRow]) => {
    const { calls, value, error, shown, artifacts = [] } = makeRow();
    const capabilities = { audio: true, documents: true };
    const script = calls.map(
      ([name, input = {}]) =>
        ({ messages }: { readonly messages: unknown }) => {
          const [ref] = /ref-[0-9a-f]{64}/.exec(JSON.stringify(messages)) ?? [];
          return {
            calls: [{ name, arguments: input["id"] === "ref" ? { id: ref ?? "" } : input }],
          };
        },
    );
    const model = scriptedModel([script[0] ?? "done", ...script.slice(1), "done"], {
      capabilities,
    });
    const toolset = mcpToolset({ name: "ref", transport: transports[server](), timeoutMs: 30_000 });
    const run = agentOf({ model, mcp: [toolset] }).stream("Go");
    const events = await collect(run);
    const result = (await run.result).orThrow();

    const end = events.findLast((event) => event.kind === "tool-end");
    if (error !== undefined) {
      expect(end).toMatchObject({
        result: { kind: "error", error: { message: expect.stringMatching(error) } },
      });
    } else {
      expect(end).toMatchObject({
        result: { kind: "success", ...(value === undefined ? {} : { value }) },
      });
    }
    const last = result.messages.findLast(({ role }) => role === "tool");
    const content = last?.role === "tool" ? (last.content[0]?.content ?? []) : [];
    expect(content.map(words)).toEqual(shown.map((pattern) => expect.stringMatching(pattern)));
    expect(result.artifacts).toMatchObject(artifacts);
    expect(result.artifacts).toHaveLength(artifacts.length);
  },
);

const words = (part: ResultContent): string =>
  part.kind === "text" ? part.text : `<${part.kind} ${part.mediaType}>`;
