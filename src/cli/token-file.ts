import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CredentialStore } from "../base/credential-store.ts";
import type { JsonObject } from "../base/json.ts";
import { EncryptedFileStore } from "../credentials/encrypted-file-store.ts";
import { dataFolder } from "./data-folder.ts";

/**
 * What `dragoman mcp login` was given, in `credentials.json` of the data folder, encrypted. The key is
 * `DRAGOMAN_SECRET_KEY`, else one that is made on the first login and kept beside it, readable by its
 * owner only. Where nobody has logged in there is no file, and reading makes none.
 */
export class TokenFile implements CredentialStore {
  readonly #folder: string;
  readonly #path: string;
  readonly #secretKey: string | undefined;
  #store: Promise<EncryptedFileStore> | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#folder = dataFolder(env);
    this.#path = join(this.#folder, "credentials.json");
    this.#secretKey = env["DRAGOMAN_SECRET_KEY"] || undefined;
  }

  async read(key: string): Promise<JsonObject | undefined> {
    return existsSync(this.#path) ? (await this.#open()).read(key) : undefined;
  }

  async write(key: string, record: JsonObject, expiresAtMs?: number): Promise<void> {
    await (await this.#open()).write(key, record, expiresAtMs);
  }

  async delete(key: string): Promise<void> {
    await (await this.#open()).delete(key);
  }

  async exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return (await this.#open()).exclusively(key, work);
  }

  #open(): Promise<EncryptedFileStore> {
    this.#store ??= this.#openFile();
    return this.#store;
  }

  async #openFile(): Promise<EncryptedFileStore> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const secretKey = this.#secretKey ?? (await keyIn(join(this.#folder, "credentials.key")));
    return new EncryptedFileStore({ path: this.#path, secretKey });
  }
}

/** The key in the file; made where there is none, whole and once, however many begin at a time. */
async function keyIn(path: string): Promise<string> {
  if (!existsSync(path)) {
    const aside = `${path}.${randomUUID()}`;
    await writeFile(aside, randomBytes(32).toString("base64"), { flag: "wx", mode: 0o600 });
    await link(aside, path).catch(() => {}); // somebody else was faster
    await unlink(aside);
  }
  return (await readFile(path, "utf8")).trim();
}
