import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

/** A real Restate on loopback ports; leaving its scope stops it and removes all that it kept. */
export interface RestateServer extends AsyncDisposable {
  /** Where it takes messages. */
  readonly ingress: string;
  /** What its requests to workers are signed with, as an executor is told it. */
  readonly identityKey: string;
  /** Tells it where a worker serves; one that is there already is asked again what it serves. */
  register(url: string, overHttp1?: boolean): Promise<void>;
  /** Cancels what it executes, as its command line does. */
  cancel(invocationId: string): Promise<void>;
  /** Rows of its own tables, as SQL asks for them. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** All that it keeps, each byte as one character. */
  bytes(): Promise<string>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
  /** Starts it on the same files. */
  start(): Promise<void>;
}

/** Starts the server that `@restatedev/restate-server` installs; its licence is the Business Source License. */
export async function startRestate(): Promise<RestateServer> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-restate-"));
  const server = new Server(folder, await Promise.all([freePort(), freePort(), freePort()]));
  try {
    await server.prepare();
    await server.start();
    return server;
  } catch (thrown) {
    await server[Symbol.asyncDispose]();
    throw thrown;
  }
}

class Server implements RestateServer {
  readonly ingress: string;
  readonly #folder: string;
  readonly #ports: readonly [number, number, number];
  #identityKey = "";
  #process: ChildProcess | undefined;

  constructor(folder: string, ports: readonly [number, number, number]) {
    this.#folder = folder;
    this.#ports = ports;
    this.ingress = `http://127.0.0.1:${ports[0]}`;
  }

  get identityKey(): string {
    return this.#identityKey;
  }

  async prepare(): Promise<void> {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    await writeFile(this.#pem, privateKey.export({ type: "pkcs8", format: "pem" }));
    const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
    this.#identityKey = `publickeyv1_${base58(raw)}`;
  }

  async start(): Promise<void> {
    const name = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
    const program = fileURLToPath(import.meta.resolve(name));
    const [ingress, admin, node] = this.#ports;
    const child = spawn(program, ["--node-name", "one", "--no-logo"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        RESTATE_BASE_DIR: join(this.#folder, "data"),
        RESTATE_LISTEN_MODE: "tcp",
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
        RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: this.#pem,
        RESTATE_LOG_FILTER: "warn",
        RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "128MiB",
        DO_NOT_TRACK: "1",
      },
    });
    this.#process = child;
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said = `${said}${text}`.slice(-10_000);
      });
    }
    const ended = once(child, "exit").then(() => {
      throw new Error(`Restate did not start:\n${said}`);
    });
    ended.catch(() => {}); // also when it is ended later
    await Promise.race([this.#ready(), ended]);
  }

  async register(uri: string, overHttp1 = false): Promise<void> {
    const body = { uri, force: true, use_http_11: overHttp1 };
    const response = await this.#admin("deployments", body);
    if (!response.ok) {
      throw new Error(`Restate did not take the worker: ${await response.text()}`);
    }
  }

  async cancel(invocationId: string): Promise<void> {
    const response = await this.#admin(`invocations/${invocationId}/cancel`, undefined, "PATCH");
    if (!response.ok) {
      throw new Error(`Restate did not cancel: ${await response.text()}`);
    }
  }

  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const response = await this.#admin("query", { query: sql });
    const { rows } = (await response.json()) as { rows: Record<string, unknown>[] }; // as Restate answers
    return rows;
  }

  async bytes(): Promise<string> {
    const data = join(this.#folder, "data");
    const entries = await readdir(data, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), "latin1"));
    return (await Promise.all(texts)).join("");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGTERM");
    if (existsSync(this.#folder)) {
      await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  get #pem(): string {
    return join(this.#folder, "identity.pem");
  }

  /** Looks until it is ready to take messages and workers. */
  async #ready(): Promise<void> {
    const urls = [`${this.ingress}/restate/health`, `http://127.0.0.1:${this.#ports[1]}/health`];
    for (const url of urls) {
      let isThere = false;
      while (!isThere && this.#process?.exitCode === null) {
        isThere = await fetch(url).then(
          ({ ok }) => ok,
          () => false,
        );
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  #admin(path: string, body: unknown, method = "POST"): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#ports[1]}/${path}`, {
      method,
      headers: { "content-type": "application/json", accept: "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "close");
      child.kill(signal);
      await exited;
    }
  }
}

const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  while (number > 0n) {
    text = `${digits[Number(number % 58n)]}${text}`;
    number /= 58n;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return `${"1".repeat(Math.max(zeros, 0))}${text}`;
}
