import { BlockList, isIP } from "node:net";
import { ToolError } from "../base/tool-error.ts";

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

/**
 * Whether an address lies in a block such as `10.0.0.0/8` or `fd00::/8`.
 *
 * @throws ToolError where the block is not written like that.
 */
export function toAddressBlock(cidr: string): (address: string) => boolean {
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
