import { generate } from "selfsigned";

/** What a certificate for a test is about. */
export interface CertificateOptions {
  /** The IP address that it is for. Default `127.0.0.1`. */
  readonly ip?: string;
  readonly notAfter?: Date;
}

/** A certificate that is its own authority, with its key (both PEM). */
export async function createCertificate({
  ip = "127.0.0.1",
  notAfter = new Date(Date.now() + 86_400_000),
}: CertificateOptions = {}): Promise<{ readonly cert: string; readonly key: string }> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "loopback" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 2 * 86_400_000),
    notAfterDate: notAfter,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip }] },
    ],
  });
  return { cert, key };
}
