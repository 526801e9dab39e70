import { hash, randomBytes } from "node:crypto";

/** The code of a group invite. A person who has it can join the group. */
export interface InviteCode {
  /** Identifies the code without revealing it. */
  readonly keyId: string;
  /** The key id and a secret, separated by a dot. */
  readonly code: string;
  /** The stored form of the code, from which it cannot be recovered. */
  readonly codeHash: string;
}

export function newInviteCode(): InviteCode {
  const keyId = randomBytes(8).toString("hex");
  const code = `${keyId}.${randomBytes(32).toString("base64url")}`;
  // A random secret of 256 bits does not need a slow hash.
  return { keyId, code, codeHash: hash("sha256", code, "hex") };
}
