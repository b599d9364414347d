/** Tokens that a model call took, as its provider counted them; absent counts were not told. */
export type Usage = {
  /** All input tokens, cached ones included. */
  readonly inputTokens: number;
  /** All output tokens, reasoning included. */
  readonly outputTokens: number;
  /** The part of the input that came from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that the provider has written to its cache. */
  readonly cacheWriteInputTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
};

/** No tokens. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** Both together; an optional count is present where either has it. */
export function addUsage(left: Usage, right: Usage): Usage {
  const cached = addOptional(left.cachedInputTokens, right.cachedInputTokens);
  const written = addOptional(left.cacheWriteInputTokens, right.cacheWriteInputTokens);
  const reasoning = addOptional(left.reasoningTokens, right.reasoningTokens);
  return {
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

const addOptional = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined && right === undefined ? undefined : (left ?? 0) + (right ?? 0);
