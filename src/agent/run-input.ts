import type { UserContent } from "../message/content.ts";

/**
 * What an agent is asked: a text, or parts of which some are pictures or files; no parts at all let it go
 * on from its session as it stands.
 */
export type RunInput = string | readonly UserContent[];
