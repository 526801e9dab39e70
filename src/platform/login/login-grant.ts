import { randomBytes } from "node:crypto";
import { type Actor, notDownscoped } from "../authorization/caller.ts";
import { isCurrent, securityStampOf } from "../authorization/security-stamp.ts";
import { type Reader, statement } from "../store/database.ts";
import type { ApiTokenContent } from "../tokens/api-token.ts";

/** What a login grants, as it is stored with a code. It is plain JSON. */
export interface LoginGrant {
  readonly identity: string;
  /** The value of the identity's security stamp when the person logged in. */
  readonly stamp: string;
  readonly audiences: readonly string[];
  /** The group that the token is restricted to; undefined for no restriction. */
  readonly group: string | undefined;
  readonly actor: Actor;
}

const exists = statement((db, p: { uid: string }) =>
  db.selectFrom("identities").select("uid").where("uid", "=", p.uid),
);

/** The content of the API tokens of a login, which has a new random id: they can be ended without those of other logins. */
export function newLogin({ identity, stamp, audiences, group, actor }: LoginGrant): ApiTokenContent {
  return {
    identityUid: identity,
    stamp: { value: stamp, key: undefined, login: randomBytes(9).toString("base64url") },
    audiences,
    downscoping: group === undefined ? notDownscoped : { ...notDownscoped, groups: [group] },
    actor,
  };
}

/** Whether the identity still exists, and its tokens were not ended since the login. */
export async function isValid(reader: Reader, { identity, stamp }: LoginGrant): Promise<boolean> {
  if ((await reader.first(exists, { uid: identity })) === undefined) return false;
  return isCurrent(await securityStampOf(reader, identity), { value: stamp, key: undefined });
}
