import { type AddressInfo, createServer } from "node:net";

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo; // an IP server has no other
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
