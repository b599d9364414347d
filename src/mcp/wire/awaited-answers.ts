import {
  isRpcAnswer,
  isRpcRequest,
  type RpcAnswer,
  type RpcId,
  type RpcMessage,
} from "./rpc-message.ts";

/**
 * The requests of one wire that wait for their answers. A wire that carries all messages in one
 * stream needs it to tell whose answer a broken text was to be: `{"jsonrpc":"2.0","id":7,"result":NaN}`
 * is no JSON, and whoever waits for it would wait until the time is up.
 */
export class AwaitedAnswers {
  readonly #ids = new Set<RpcId>();

  /** A message goes out. */
  sent(message: RpcMessage): void {
    if (isRpcRequest(message)) {
      this.#ids.add(message.id);
    }
  }

  /**
   * What is to be made of a text in which these messages were found: they themselves. In the place of
   * a text that is no JSON, but was clearly meant as the answer to one request that waits, there is an
   * answer that says nothing. A line of a log must not end a call.
   */
  heard(found: readonly RpcMessage[], text: string): readonly RpcMessage[] {
    const broken = found.length === 0 ? this.#inPlaceOf(text) : undefined;
    const heard = broken === undefined ? found : [broken];
    for (const message of heard) {
      if (isRpcAnswer(message)) {
        this.forget(message.id ?? "");
      }
    }
    return heard;
  }

  /** Nobody waits for this one any longer. */
  forget(id: RpcId): void {
    // Some servers answer the number 7 with the text "7".
    if (!this.#ids.delete(id) && typeof id === "string") {
      this.#ids.delete(Number(id));
    }
  }

  #inPlaceOf(text: string): RpcAnswer | undefined {
    const id = isBrokenAnswer(text) ? this.#meantBy(text) : undefined;
    return id === undefined ? undefined : { jsonrpc: "2.0", id };
  }

  #meantBy(text: string): RpcId | undefined {
    const named = namedIds(text);
    const waiting = [...this.#ids].filter((id) => named.length === 0 || named.includes(String(id)));
    return waiting.length === 1 ? waiting[0] : undefined;
  }
}

function isBrokenAnswer(text: string): boolean {
  return (
    /^\s*\{/.test(text) &&
    text.includes('"jsonrpc"') &&
    /"(?:result|error)"\s*:/.test(text) &&
    !/^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:method|id"\s*:\s*[^,]{1,40},\s*"method)"/.test(
      text,
    )
  );
}

/** The members of a message stand before or behind its result, however long that is. */
const nearEnds = 300;

/** What stands behind `"id":` near the beginning or the end. */
function namedIds(text: string): readonly string[] {
  const ends =
    text.length > 2 * nearEnds ? [text.slice(0, nearEnds), text.slice(-nearEnds)] : [text];
  const found = ends.flatMap((part) => [...part.matchAll(/"id"\s*:\s*(?:"([^"\\]*)"|(\d+))/g)]);
  return found.map(([, quoted, number]) => quoted ?? number ?? "");
}
