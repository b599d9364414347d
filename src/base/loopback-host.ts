/**
 * Whether a host is this machine by its very name: `localhost` and what is below it, 127.0.0.0/8, `::1`.
 *
 * @param host as a URL has it (`[::1]`), or as an address is written (`::1`); in any case of letters.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  return /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|::1)$/.test(name);
}
