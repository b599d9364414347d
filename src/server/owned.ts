import type { Caller } from "../ag-ui/handler-options.ts";
import { Refusal } from "../ag-ui/refusal.ts";

/** The part of a key or filter of a store that says whose something must be. */
export const whose = ({ actor }: Caller): { readonly actor?: string } =>
  actor === undefined ? {} : { actor };

/**
 * Whether something belongs to a caller. Stores take a key without an actor as anybody's, and a caller
 * without an actor may only have what belongs to nobody.
 */
export const isOwn = (thing: { readonly actor?: string }, { actor }: Caller): boolean =>
  thing.actor === actor;

/** What somebody gets who asks for what is not there, or is another's: the two are not told apart. */
export const notFound = (what: string): Refusal =>
  new Refusal(`There is no such ${what}, or it is not yours.`, { status: 404, code: "not-found" });
