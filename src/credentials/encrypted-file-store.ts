import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  randomUUID,
  scrypt,
} from "node:crypto";
import { open, readFile, rename, unlink } from "node:fs/promises";
import { type Clock, systemClock } from "../base/clock.ts";
import type { CredentialStore } from "../base/credential-store.ts";
import { ConfigurationError } from "../base/dragoman-error.ts";
import { isJsonObject, type JsonObject, parseJson } from "../base/json.ts";
import { Secret } from "../base/secret.ts";
import { TurnQueue } from "../base/turn-queue.ts";
import { whenFree } from "../base/when-free.ts";
import { CredentialError } from "./credential-error.ts";
import { withFileLock } from "./file-lock.ts";

/** What an {@link EncryptedFileStore} is made of. */
export interface EncryptedFileStoreOptions {
  /** The file; its folder must exist. Lock files stand beside it while they are held. */
  readonly path: string;
  /**
   * At least 16 characters; by custom the environment variable `DRAGOMAN_SECRET_KEY`, such as the
   * output of `openssl rand -base64 32`.
   */
  readonly secretKey: string | Secret | undefined;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

type Entries = Readonly<
  Record<string, { readonly record: JsonObject; readonly expiresAtMs: number | null }>
>;

/** Names the format; also authenticated, so that a file of another format cannot pass for this one. */
const format = "dragoman-credentials-1";

/**
 * Keeps records in one file, encrypted and authenticated as a whole (AES-256-GCM; the key is derived
 * from `secretKey` by scrypt with a salt of the file's own). It is readable by its owner only, replaced
 * in one step, and may be used by several processes at once. An older copy of the file that is put
 * back is not noticed.
 *
 * Its methods throw CredentialError `store-unreadable` where the key is another or the file was altered.
 */
export class EncryptedFileStore implements CredentialStore {
  readonly #path: string;
  readonly #secretKey: Secret;
  readonly #clock: Clock;
  readonly #turns = new TurnQueue();
  /** Deriving is slow by design, so that it is done once for each salt. */
  readonly #keys = new Map<string, Promise<Buffer>>();

  /** @throws ConfigurationError where the key is missing or too short. */
  constructor({ path, secretKey, clock = systemClock }: EncryptedFileStoreOptions) {
    const secret = secretKey instanceof Secret ? secretKey : new Secret(secretKey ?? "");
    if (secret.reveal().length < 16) {
      throw new ConfigurationError(
        "The encrypted credential store needs a secret key of 16 characters or more. Set DRAGOMAN_SECRET_KEY to the output of `openssl rand -base64 32` and pass it as secretKey.",
        { code: "invalid-configuration" },
      );
    }
    this.#path = path;
    this.#secretKey = secret;
    this.#clock = clock;
  }

  async read(key: string): Promise<JsonObject | undefined> {
    const { entries } = await this.#load();
    const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
    return entry !== undefined && this.#isAlive(entry.expiresAtMs) ? entry.record : undefined;
  }

  write(key: string, record: JsonObject, expiresAtMs?: number): Promise<void> {
    return this.#change((entries) => ({
      ...entries,
      [key]: { record, expiresAtMs: expiresAtMs ?? null },
    }));
  }

  delete(key: string): Promise<void> {
    return this.#change(({ [key]: _deleted, ...others }) => others);
  }

  exclusively<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
    const lock = `${this.#path}.${digest}.lock`;
    return this.#turns.inTurn(key, () => withFileLock(lock, this.#clock, work));
  }

  #isAlive(expiresAtMs: number | null): boolean {
    return expiresAtMs === null || expiresAtMs > this.#clock.now();
  }

  #change(next: (entries: Entries) => Entries): Promise<void> {
    return this.#turns.inTurn("", () =>
      withFileLock(`${this.#path}.lock`, this.#clock, async () => {
        const { entries, salt } = await this.#load();
        const alive = Object.entries(next(entries)).filter(([, entry]) =>
          this.#isAlive(entry.expiresAtMs),
        );
        await replaceFile(this.#path, await this.#encrypt(Object.fromEntries(alive), salt));
      }),
    );
  }

  async #load(): Promise<{ readonly entries: Entries; readonly salt: Buffer }> {
    const text = await readIfThere(this.#path);
    if (text === undefined) {
      return { entries: {}, salt: randomBytes(16) };
    }
    const file = parseJson(text);
    if (!isJsonObject(file) || file["format"] !== format) {
      throw this.#unreadable("it is no credential store");
    }
    const [salt, iv, tag, data] = ["salt", "iv", "tag", "data"].map((name) =>
      Buffer.from(String(file[name]), "base64"),
    ) as [Buffer, Buffer, Buffer, Buffer]; // one for each name
    const decrypted = await this.#decrypt(salt, iv, tag, data);
    if (decrypted === undefined) {
      throw this.#unreadable("the secret key is another one, or the file was altered");
    }
    // Authentic, hence written by `#encrypt`.
    return { entries: JSON.parse(decrypted) as Entries, salt };
  }

  async #encrypt(entries: Entries, salt: Buffer): Promise<string> {
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", await this.#keyOf(salt), iv);
    cipher.setAAD(Buffer.from(format));
    const data = Buffer.concat([cipher.update(JSON.stringify(entries), "utf8"), cipher.final()]);
    const parts = { salt, iv, tag: cipher.getAuthTag(), data };
    const encoded = Object.entries(parts).map(([name, part]) => [name, part.toString("base64")]);
    return JSON.stringify({ format, ...Object.fromEntries(encoded) });
  }

  async #decrypt(salt: Buffer, iv: Buffer, tag: Buffer, data: Buffer): Promise<string | undefined> {
    try {
      const key = await this.#keyOf(salt);
      const decipher = createDecipheriv("aes-256-gcm", key, iv, { authTagLength: 16 });
      decipher.setAAD(Buffer.from(format)).setAuthTag(tag);
      return decipher.update(data, undefined, "utf8") + decipher.final("utf8");
    } catch {
      return undefined;
    }
  }

  #keyOf(salt: Buffer): Promise<Buffer> {
    const name = salt.toString("base64");
    const known = this.#keys.get(name);
    if (known !== undefined) {
      return known;
    }
    const derived = deriveKey(this.#secretKey, salt);
    this.#keys.clear(); // the file has one salt at a time
    this.#keys.set(name, derived);
    return derived;
  }

  #unreadable(why: string): CredentialError {
    return new CredentialError(
      `The credential store ${this.#path} cannot be read: ${why}. Give the key that it was written with, or remove the file and authorise again.`,
      { code: "store-unreadable" },
    );
  }
}

function deriveKey(secretKey: Secret, salt: Buffer): Promise<Buffer> {
  const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(secretKey.reveal(), salt, 32, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

/** Writes beside the file and renames, so that a reader sees the old one or the new one, whole. */
async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(aside, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await whenFree(() => rename(aside, path), { platform: process.platform, clock: systemClock });
  } catch (error) {
    await unlink(aside).catch(() => {});
    throw error;
  }
}
