import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { record } from "./audit/audit-log.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import { IdentityProviderSchema } from "./gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { resealSecret } from "./iam/client-secret.ts";
import { type Database, statement } from "./store/database.ts";
import type { MasterKey } from "./tokens/master-key.ts";
import { resealSigningKeys } from "./tokens/signing-keys.ts";

const providers = statement((db) => db.selectFrom("identity_providers").select(["uid", "body"]));
const setBody = statement((db, p: { uid: string; body: Uint8Array }) =>
  db.updateTable("identity_providers").set({ body: p.body }).where("uid", "=", p.uid),
);

/** The number of secrets that were sealed again. */
export interface ResealedSecrets {
  readonly signingKeys: number;
  readonly clientSecrets: number;
}

/**
 * Seals every secret of the data with another key, in one transaction. No platform may run meanwhile: it would seal with the
 * old key. What is sealed with the new key already stays, so that an interrupted rotation can be repeated.
 * @throws Error if a secret opens with neither of the keys; nothing is changed then
 */
export async function rotateKeyFile(
  database: Database,
  keys: { readonly from: MasterKey; readonly to: MasterKey },
  now: number,
): Promise<ResealedSecrets> {
  return database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "host", command: "platform rotate-key-file" }, now);
    const signingKeys = await resealSigningKeys(tx, keys);
    let clientSecrets = 0;
    for (const { uid, body } of await tx.all(providers, {})) {
      const resealed = resealSecret(keys, fromBinary(IdentityProviderSchema, body));
      if (resealed === undefined) continue;
      await tx.run(setBody, { uid, body: toBinary(IdentityProviderSchema, resealed) });
      clientSecrets += 1;
    }
    if (signingKeys + clientSecrets > 0) await record(tx, { action: "rotate", type: "key file", uid: "", fields: {} });
    return { signingKeys, clientSecrets };
  });
}
