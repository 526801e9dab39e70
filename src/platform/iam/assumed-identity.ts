import { parseStamp, type SecurityStamp } from "../authorization/security-stamp.ts";
import { identities } from "../collections/identities.ts";
import type { Identity } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { type Reader, statement } from "../store/database.ts";

/** What decides whether an identity is assumed. */
export interface AssumedIdentity {
  readonly identity: Identity;
  readonly stamp: SecurityStamp;
}

const select = statement((db, p: { uid: string }) =>
  db
    .selectFrom("identities")
    .leftJoin("security_stamps", "identity_uid", "uid")
    .select(["body", "stamp"])
    .where("uid", "=", p.uid),
);
const selectStamp = statement((db, p: { uid: string }) =>
  db
    .selectFrom("identities")
    .leftJoin("security_stamps", "identity_uid", "uid")
    .select("stamp")
    .where("uid", "=", p.uid),
);

/** @returns undefined if the identity does not exist */
export async function findAssumed(reader: Reader, uid: string): Promise<AssumedIdentity | undefined> {
  const row = await reader.first(select, { uid });
  return row && { identity: identities.parse(row.body), stamp: parseStamp(row.stamp) };
}

/** The security stamp of an identity that was found. @returns undefined if the identity was deleted in the meantime */
export async function stampOfFound(reader: Reader, uid: string): Promise<SecurityStamp | undefined> {
  const row = await reader.first(selectStamp, { uid });
  return row && parseStamp(row.stamp);
}
