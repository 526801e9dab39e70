import { record } from "./audit/audit-log.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import { type Database, statement } from "./store/database.ts";
import type { MasterKey } from "./tokens/master-key.ts";
import { insertSigningKey, newSigningKey, openSealedKeys } from "./tokens/signing-keys.ts";

const removeOthers = statement((db, p: { kid: string }) => db.deleteFrom("signing_keys").where("kid", "!=", p.kid));

/**
 * Creates a signing key now, from which the schedule of further keys follows. Running platforms publish it within a minute,
 * and sign with it after the lead time, which lets verifiers learn of it.
 * @param revoke whether all other keys are deleted, so that the tokens that they signed end, and the new one signs at once
 * @returns the id of the new key
 * @throws Error if the existing keys were sealed with another key file
 */
export async function rotateSigningKey(
  database: Database,
  masterKey: MasterKey,
  { revoke, now }: { readonly revoke: boolean; readonly now: number },
): Promise<string> {
  await openSealedKeys(database, masterKey);
  const key = await newSigningKey(masterKey, now);
  await database.write(async (writer) => {
    const author = { kind: "host", command: "platform rotate-signing-key" } as const;
    const tx = new AuthoredWriter(writer, author, now);
    await insertSigningKey(tx, key);
    if (revoke) await tx.run(removeOthers, { kid: key.kid });
    await record(tx, { action: "rotate", type: "signing key", uid: "", fields: {} });
  });
  return key.kid;
}
