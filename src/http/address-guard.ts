import { type LookupAddress, lookup as lookupName } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { redactUrl } from "../base/redact-url.ts";
import { ToolError } from "../base/tool-error.ts";

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

/** Lets public addresses through and nothing else. */
export const publicAddressGuard: AddressGuard = new AddressGuard();

/** Whether an address (IPv4 in dotted form, or IPv6 without brackets) is one of the public Internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, "ipv4");
    case 6:
      return isPublicIpv6(address);
    default:
      return false;
  }
}

/** `::ffff:0:0/96` is IPv4 written long, `64:ff9b::/96` IPv4 behind a translator (RFC 6052). */
const embedded = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})?$/;

function isPublicIpv6(address: string): boolean {
  // A zone id makes it no URL; such addresses are link-local.
  const canonical = URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) {
    return false;
  }
  const [, high = "0", low = "0"] = embedded.exec(canonical) ?? [];
  if (embedded.test(canonical)) {
    const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return isPublicAddress([first >> 8, first & 255, second >> 8, second & 255].join("."));
  }
  return globalIpv6.check(canonical, "ipv6") && !specialIpv6.check(canonical, "ipv6");
}

/** IANA's IPv4 special-purpose registry, multicast and the reserved class E. */
const specialIpv4: BlockList = blockList("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Metadata services of clouds that stand at public addresses: Azure, Alibaba (100.100.100.200 is shared).
  "168.63.129.16/32",
]);

/** All that IANA has given out for global unicast; whatever lies elsewhere is special. */
const globalIpv6: BlockList = blockList("ipv6", ["2000::/3"]);

/** Special parts of it: protocols, Teredo, ORCHID, documentation, 6to4 (IPv4 in disguise). */
const specialIpv6: BlockList = blockList("ipv6", [
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
]);

function blockList(family: "ipv4" | "ipv6", blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", bits] = block.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

interface Rule {
  /** Whether host and port agree, whatever the address. */
  matchesHost(host: string, port: number): boolean;
  matches(host: string, port: number, address: string): boolean;
}

function toRule({ host, port, cidr }: AddressRule): Rule {
  const addresses = cidr === undefined ? undefined : toBlock(cidr);
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

function toBlock(cidr: string): (address: string) => boolean {
  const [address = "", bits] = cidr.split("/");
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const most = family === "ipv6" ? 128 : 32;
  if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits ?? "") || Number(bits) > most) {
    throw new ToolError(
      `${JSON.stringify(cidr)} is not a block of addresses. Write it as 10.0.0.0/8 or fd00::/8.`,
    );
  }
  const list = blockList(family, [cidr]);
  return (given) => list.check(given, isIP(given) === 6 ? "ipv6" : "ipv4");
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

const resolveBySystem: ResolveHost = (host) =>
  new Promise((resolve, reject) => {
    lookupName(host, { all: true }, (error, found) =>
      error === null ? resolve(found.map(({ address }) => address)) : reject(error),
    );
  });
