import { createHmac } from "node:crypto";

/** The header of the signature. */
export const signatureHeader = "muster-signature";

/**
 * The value of the header: the time, and for each secret the HMAC-SHA256 of the time, a dot and the body. With two secrets, a
 * receiver that knows either accepts the request, so that a secret can be replaced.
 * @param seconds since the epoch
 */
export function signatureOf(secrets: readonly string[], seconds: number, body: string): string {
  const signatures = secrets.map((secret) => {
    const hmac = createHmac("sha256", secret).update(`${seconds}.`).update(body);
    return `v1=${hmac.digest("hex")}`;
  });
  return [`t=${seconds}`, ...signatures].join(",");
}
