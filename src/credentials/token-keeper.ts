import type { CredentialStore } from "../base/credential-store.ts";
import type { Secret } from "../base/secret.ts";
import { ToolError } from "../base/tool-error.ts";
import { CredentialError } from "./credential-error.ts";
import { fromTokenRecord, type TokenSet, toTokenRecord } from "./token-set.ts";

/** Tokens that are kept: where, and how others are had in their place. */
export interface TokenSubject {
  /** The key of the record: whatever sets these tokens apart from others, the actor included. */
  readonly key: string;
  /** Fetches tokens, with the refresh token of the `current` ones where that is the way. */
  obtain(current: TokenSet | undefined): Promise<TokenSet>;
}

/** A token is renewed so long before it expires. */
const earlyMs = 60_000;

/** Fetches, renews and keeps tokens: one request at a time for each token, whoever asks. */
export class TokenKeeper {
  readonly #store: CredentialStore;
  readonly #nowMs: () => number;
  readonly #underWay = new Map<string, Promise<TokenSet>>();

  constructor(store: CredentialStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Tokens that hold for a while yet, and are others than the one that was refused. */
  async tokens(subject: TokenSubject, refused: Secret | undefined): Promise<TokenSet> {
    const { key } = subject;
    const holds: Holds = (tokens, forMs) =>
      tokens.accessToken.reveal() !== refused?.reveal() &&
      (tokens.expiresAtMs ?? Infinity) - forMs > this.#nowMs();
    const stored = await this.stored(key);
    if (stored !== undefined && holds(stored, earlyMs)) {
      return stored;
    }
    // One request serves all who wait, so that no one's signal may end it.
    const renewal =
      this.#underWay.get(key) ??
      this.#renew(subject, holds).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, renewal);
    return renewal;
  }

  /** What is kept, whether it still holds or not. */
  async stored(key: string): Promise<TokenSet | undefined> {
    return fromTokenRecord(await this.#store.read(key));
  }

  /** Keeps tokens that came about elsewhere. */
  async put(key: string, tokens: TokenSet): Promise<void> {
    await this.#store.exclusively(key, () => this.#store.write(key, toTokenRecord(tokens)));
  }

  /** Removes what is kept and gives it: nobody has it afterwards. */
  take(key: string): Promise<TokenSet | undefined> {
    return this.#store.exclusively(key, async () => {
      const tokens = await this.stored(key);
      await this.#store.delete(key);
      return tokens;
    });
  }

  async drop(key: string): Promise<void> {
    await this.#store.exclusively(key, () => this.#store.delete(key));
  }

  #renew({ key, obtain }: TokenSubject, holds: Holds): Promise<TokenSet> {
    return this.#store.exclusively(key, async () => {
      const current = await this.stored(key);
      if (current !== undefined && holds(current, earlyMs)) {
        return current; // another process has renewed it while we waited
      }
      try {
        const tokens = await obtain(current);
        await this.#store.write(key, toTokenRecord(tokens));
        return tokens;
      } catch (error) {
        return await this.#afterFailure(key, current, holds, error);
      }
    });
  }

  async #afterFailure(
    key: string,
    current: TokenSet | undefined,
    holds: Holds,
    error: unknown,
  ): Promise<TokenSet> {
    if (CredentialError.is(error) && error.code === "authorization-required") {
      await this.#store.delete(key); // the grant is gone
    } else if (ToolError.is(error) && current !== undefined && holds(current, 0)) {
      return current; // the server cannot be reached, and what we have still holds
    }
    throw error;
  }
}

/** Whether tokens hold for so long yet, and are others than those that were refused. */
type Holds = (tokens: TokenSet, forMs: number) => boolean;
