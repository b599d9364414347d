import type { Json } from "../../base/json.ts";

/** What a provider says of its answer itself. */
export interface ResponseFacts {
  /** The model as the provider names it. */
  readonly responseModel?: string;
  /** The provider's id of the answer. */
  readonly responseId?: string;
}

/** What is known, and what one more object of the answer says; what was known first stays. */
export function learnResponse(
  known: ResponseFacts,
  model: Json | undefined,
  id: Json | undefined,
): ResponseFacts {
  const { responseModel = textOf(model), responseId = textOf(id) } = known;
  return responseModel === known.responseModel && responseId === known.responseId
    ? known
    : {
        ...(responseModel === undefined ? {} : { responseModel }),
        ...(responseId === undefined ? {} : { responseId }),
      };
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
