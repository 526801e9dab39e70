import { randomBytes } from "node:crypto";
import { type Reader, statement, type Writer } from "../store/database.ts";

/**
 * The security stamp of an identity: a random value that its API tokens contain, and that is replaced when its tokens are
 * ended. A token is valid only while its stamp is the identity's. Times would not do: `iat` has seconds, and the clocks of
 * replicas differ. A number would not do either: after a backup is restored, it would be given out twice.
 */
export type SecurityStamp = string;

/** The stamp of an identity whose tokens were never ended. Its tokens contain none. */
export const initialStamp: SecurityStamp = "";

const select = statement((db, p: { identity: string }) =>
  db.selectFrom("security_stamps").select("stamp").where("identity_uid", "=", p.identity),
);
const upsert = statement((db, p: { identity: string; stamp: string }) =>
  db
    .insertInto("security_stamps")
    .values({ identity_uid: p.identity, stamp: p.stamp })
    .onConflict((conflict) => conflict.column("identity_uid").doUpdateSet({ stamp: p.stamp })),
);
const remove = statement((db, p: { identity: string }) =>
  db.deleteFrom("security_stamps").where("identity_uid", "=", p.identity),
);

export async function securityStampOf(reader: Reader, identity: string): Promise<SecurityStamp> {
  return (await reader.first(select, { identity }))?.stamp ?? initialStamp;
}

/** Ends the API tokens that were issued to the identity until now, on every replica. */
export async function replaceSecurityStamp(tx: Writer, identity: string): Promise<void> {
  await tx.run(upsert, { identity, stamp: randomBytes(9).toString("base64url") });
}

/** Deletes the stamp of an identity that is deleted. */
export async function deleteSecurityStamp(tx: Writer, identity: string): Promise<void> {
  await tx.run(remove, { identity });
}
