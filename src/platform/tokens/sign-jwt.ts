import { type KeyObject, sign } from "node:crypto";
import { signatureOfDer } from "./ecdsa-signature.ts";

/**
 * A JWT that is signed with ES256 (RFC 7515, RFC 7518, 3.4). It signs on the thread of the caller: a signature takes some tens of
 * microseconds, and handing the work to another thread takes as long again.
 * @param key a private key of the curve P-256
 */
export function signJwt(header: object, claims: object, key: KeyObject): string {
  const content = `${encoded({ alg: "ES256", ...header })}.${encoded(claims)}`;
  const signature = signatureOfDer(sign("sha256", Buffer.from(content), key), 32);
  return `${content}.${signature.toString("base64url")}`;
}

function encoded(json: object): string {
  return Buffer.from(JSON.stringify(json)).toString("base64url");
}
