import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { type Store, statement } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import type { MasterKey } from "./key-file.ts";

export const signingAlgorithm = "ES256";

/** What the platform signs API tokens with, and everybody checks them with. */
export interface SigningKeys {
  readonly current: { readonly kid: string; readonly privateKey: CryptoKey };
  /** All whose tokens may still be valid, by key id. */
  readonly publicKeys: ReadonlyMap<string, { readonly jwk: JWK; readonly key: CryptoKey }>;
}

const select = statement<object, Tables["signing_keys"]>((db) =>
  db.selectFrom("signing_keys").selectAll().orderBy("create_time").orderBy("kid"),
);
const insert = statement((db, p: { kid: string; create_time: number; public_key: string; private_key: Uint8Array }) =>
  db.insertInto("signing_keys").values({
    kid: p.kid,
    create_time: p.create_time,
    public_key: p.public_key,
    private_key: p.private_key,
  }),
);

const sealPurpose = "signing key";

/** Loads the keys, and makes the first one. */
export async function loadSigningKeys(store: Store, masterKey: MasterKey, now: number): Promise<SigningKeys> {
  const made = await makeKey(masterKey);
  const rows = await store.write(async (tx) => {
    const known = await tx.all(select, {});
    if (known.length > 0) return known;
    await tx.run(insert, { ...made, create_time: now });
    return tx.all(select, {});
  });
  const newest = rows.at(-1);
  if (newest === undefined) throw new Error("there is no signing key");
  const privateJwk = JSON.parse(masterKey.open(sealPurpose, newest.private_key)) as JWK;
  const publicKeys = new Map<string, { jwk: JWK; key: CryptoKey }>();
  for (const { kid, public_key } of rows) {
    const jwk = JSON.parse(public_key) as JWK;
    publicKeys.set(kid, { jwk, key: (await importJWK(jwk, signingAlgorithm)) as CryptoKey });
  }
  return {
    current: { kid: newest.kid, privateKey: (await importJWK(privateJwk, signingAlgorithm)) as CryptoKey },
    publicKeys,
  };
}

async function makeKey(masterKey: MasterKey) {
  const pair = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const publicKey = { ...jwk, kid, alg: signingAlgorithm, use: "sig" };
  return {
    kid,
    public_key: JSON.stringify(publicKey),
    private_key: masterKey.seal(sealPurpose, JSON.stringify(await exportJWK(pair.privateKey))),
  };
}
