import { type LookupAddress, lookup as lookupName } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { redactUrl } from "../base/redact-url.ts";
import { ToolError } from "../base/tool-error.ts";
import { isPublicAddress, toAddressBlock } from "./public-address.ts";

/** What a rule of an {@link AddressGuard} is about; all that it names must agree. */
export interface AddressRule {
  /** A host name or address as it stands in the URL; `*.example.com` means every name below it. */
  readonly host?: string;
  /** Absent: any port. */
  readonly port?: number;
  /** The addresses that the connection may go to, such as `10.1.0.0/16` or `fd00::/8`. */
  readonly cidr?: string;
}

/** The addresses of a host name, in the order in which they are to be tried. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

/** What an {@link AddressGuard} lets through. */
export interface AddressGuardOptions {
  /** Addresses that may be asked though they are not public. Default: none. */
  readonly allow?: readonly AddressRule[];
  /** If given, nothing else may be asked: each request must agree with one of these rules. */
  readonly only?: readonly AddressRule[];
  /** Default: the system's resolver. */
  readonly resolve?: ResolveHost;
}

/**
 * Decides where requests may go whose URL comes from a model, a server or any other stranger
 * (server-side request forgery). Public unicast addresses pass; loopback, private, link-local,
 * shared, multicast, documentation, metadata and every other special address do not, however they
 * are written: `new URL` has made decimal, octal, hexadecimal and short forms plain before they are
 * looked at, and IPv4 addresses within IPv6 ones (mapped, NAT64) are judged as what they are.
 *
 * The addresses that were checked are the ones that the connection is made to, so that a name cannot
 * mean another address a moment later (DNS rebinding). One address that is refused refuses the name;
 * a name that does not resolve is refused.
 */
export class AddressGuard {
  readonly #allow: readonly Rule[];
  readonly #only: readonly Rule[] | undefined;
  readonly #resolve: ResolveHost;
  /** One lookup for each port, since a rule may name one; connections are pooled by it. */
  readonly #lookups = new Map<number, LookupFunction>();

  /** @throws ToolError where a rule names nothing, or its block of addresses is none. */
  constructor(options: AddressGuardOptions = {}) {
    this.#allow = (options.allow ?? []).map(toRule);
    this.#only = options.only?.map(toRule);
    this.#resolve = options.resolve ?? resolveBySystem;
  }

  /**
   * What a request to this URL is to be sent with.
   *
   * @throws ToolError `tool-address-refused` where the host is an address that is refused, or is none
   * that a rule of `only` could mean.
   */
  guard(url: URL): { readonly lookup: LookupFunction } {
    const host = hostOf(url);
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    if (isIP(host) !== 0) {
      this.#check(host, port, host);
    } else if (this.#only?.some((rule) => rule.matchesHost(host, port)) === false) {
      throw refused(`${redactUrl(url)} is not on the list of what may be asked`);
    }
    return { lookup: this.#lookupFor(port) };
  }

  #lookupFor(port: number): LookupFunction {
    const known = this.#lookups.get(port);
    if (known !== undefined) {
      return known;
    }
    const lookup: LookupFunction = (host, options, callback) => {
      this.#resolveChecked(host.replace(/\.$/, ""), port).then(
        (found) => answer(found, options, callback),
        (error: Error) => callback(error, []),
      );
    };
    this.#lookups.set(port, lookup);
    return lookup;
  }

  async #resolveChecked(host: string, port: number): Promise<readonly LookupAddress[]> {
    const addresses = await this.#resolve(host);
    for (const address of addresses) {
      this.#check(host, port, address);
    }
    if (addresses.length === 0) {
      throw refused(`The host ${host} has no address`);
    }
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  #check(host: string, port: number, address: string): void {
    const matches = (rule: Rule): boolean => rule.matches(host, port, address);
    if (this.#only?.some(matches) === false) {
      throw refused(`${nameOf(host, address)} is not on the list of what may be asked`);
    }
    if (!isPublicAddress(address) && !this.#allow.some(matches)) {
      throw refused(`${nameOf(host, address)} is not a public address`);
    }
  }
}

interface Rule {
  /** Whether host and port agree, whatever the address. */
  matchesHost(host: string, port: number): boolean;
  matches(host: string, port: number, address: string): boolean;
}

function toRule({ host, port, cidr }: AddressRule): Rule {
  if (host === undefined && port === undefined && cidr === undefined) {
    throw new ToolError("A rule of the address guard names nothing. Give it a host, port or cidr.");
  }
  const addresses = cidr === undefined ? undefined : toAddressBlock(cidr);
  const wanted = host?.toLowerCase().replace(/^\[|\]$/g, "");
  const matchesHost = (given: string, givenPort: number): boolean =>
    (port === undefined || port === givenPort) &&
    (wanted === undefined ||
      (wanted.startsWith("*.") ? given.endsWith(wanted.slice(1)) : given === wanted));
  return {
    matchesHost,
    matches: (given, givenPort, address) =>
      matchesHost(given, givenPort) && (addresses === undefined || addresses(address)),
  };
}

/** The host as names are compared: lower case, no brackets, no dot at the end. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

const nameOf = (host: string, address: string): string =>
  host === address ? `The address ${address}` : `The address ${address} of ${host}`;

const refused = (why: string): ToolError =>
  new ToolError(`${why}. Allow it in the guard if it is meant to be asked.`, {
    code: "tool-address-refused",
  });

function answer(
  found: readonly LookupAddress[],
  options: Parameters<LookupFunction>[1],
  callback: Parameters<LookupFunction>[2],
): void {
  const family = options.family === "IPv4" ? 4 : options.family === "IPv6" ? 6 : options.family;
  const usable = found.filter((entry) => !family || entry.family === family);
  const [first] = usable;
  if (first === undefined) {
    callback(refused("The host has no address of the family that was asked for"), []);
  } else if (options.all) {
    callback(null, [...usable]);
  } else {
    callback(null, first.address, first.family);
  }
}

function resolveBySystem(host: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    lookupName(host, { all: true }, (error, found) =>
      error === null ? resolve(found.map(({ address }) => address)) : reject(error),
    );
  });
}
