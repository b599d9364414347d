import { checkNumbers } from "../base/check-numbers.ts";
import { AddressGuard } from "./address-guard.ts";
import { sendFollowingRedirects } from "./follow-redirects.ts";
import type { HttpRequest } from "./http-request.ts";
import type { HttpResponse } from "./http-response.ts";

/** A request to an address that a stranger may have chosen. */
export interface GuardedRequest extends Omit<HttpRequest, "proxy" | "lookup"> {
  /** Default: public addresses only. */
  readonly guard?: AddressGuard;
  /** Default 5; each redirect is checked as the first URL is. */
  readonly maxRedirects?: number;
}

/**
 * Sends a request wherever the guard lets it go, and nowhere else. For every URL that comes from a
 * model, a page, a tool server's metadata or a webhook's registration.
 *
 * @throws ToolError `tool-address-refused` where it may not go, and what `sendHttpRequest` throws.
 */
export async function guardedFetch(request: GuardedRequest): Promise<HttpResponse> {
  const { guard = publicAddressGuard, maxRedirects = 5, ...rest } = request;
  checkNumbers({ maxRedirects }, { maxRedirects: "count-or-0" }, { where: "of the request" });
  return sendFollowingRedirects({ ...rest, guard, maxRedirects });
}

const publicAddressGuard = new AddressGuard();
