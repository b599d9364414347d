/** Whether a value has the form of a MIME type. */
export const isMediaType = (value: unknown): value is string =>
  typeof value === "string" && /^[\w.+-]{1,80}\/[\w.+-]{1,80}(;.{0,80})?$/.test(value);

/** Whether what has this MIME type can be read as text, by people and models. */
export const isTextType = (mediaType: string): boolean =>
  /^(?:text\/|application\/(?:json|jsonl|ld\+json|x-ndjson|xml|yaml|x-yaml|toml|javascript|typescript|graphql|sql|x-sh)(?:;|$)|[^;]+\+(?:json|xml|yaml)(?:;|$))/i.test(
    mediaType,
  );
