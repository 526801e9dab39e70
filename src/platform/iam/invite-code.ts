import { hash, randomBytes } from "node:crypto";

/** What somebody joins a group with. */
export interface InviteCode {
  /** Names the code without giving it away. */
  readonly keyId: string;
  /** The key id and a secret, with a dot between them. */
  readonly code: string;
  /** What is kept of the code: who reads the data cannot join with it. */
  readonly codeHash: string;
}

export function newInviteCode(): InviteCode {
  const keyId = randomBytes(8).toString("hex");
  const code = `${keyId}.${randomBytes(32).toString("base64url")}`;
  // A random secret of 256 bits needs no slow hash.
  return { keyId, code, codeHash: hash("sha256", code, "hex") };
}
