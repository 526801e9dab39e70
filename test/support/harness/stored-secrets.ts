import { DatabaseSync } from "node:sqlite";
import { fromBinary } from "@bufbuild/protobuf";
import { IdentityProviderSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { openSecret } from "#src/platform/iam/client-secret.ts";
import { readKeyFile } from "#src/platform/tokens/key-file.ts";

/**
 * The client secret of each identity provider by its uid, from the platform's data: no response contains one. It is empty if
 * the provider has none.
 * @param dataFile the SQLite file of a platform, which may be running; its key file is beside it
 */
export function readStoredSecrets(dataFile: string): ReadonlyMap<string, string> {
  const masterKey = readKeyFile(`${dataFile}.key`);
  const database = new DatabaseSync(dataFile, { readOnly: true, timeout: 5_000 });
  try {
    const rows = database.prepare("SELECT body FROM identity_providers").all() as { body: Uint8Array }[];
    return new Map(
      rows.map(({ body }) => {
        const provider = fromBinary(IdentityProviderSchema, body);
        return [provider.uid, openSecret(masterKey, provider)];
      }),
    );
  } finally {
    database.close();
  }
}
