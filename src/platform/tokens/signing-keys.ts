import { createPrivateKey, type KeyObject } from "node:crypto";
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { minutes } from "#src/time/durations.ts";
import { type Reader, type Database, statement, type Writer } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import { type MasterKey, reseal } from "./master-key.ts";
import { type ScheduledKey, scheduleOf } from "./key-schedule.ts";

export const signingAlgorithm = "ES256";

/** How often the keys of other replicas are read and the schedule is applied (ms). */
const refreshInterval = minutes(1);
/** The minimum time between two refreshes after an unknown key id or a failed refresh (ms). */
const retryInterval = 5_000;

const sealPurpose = "signing key";

const select = statement<object, Tables["signing_keys"]>((db) =>
  db.selectFrom("signing_keys").selectAll().orderBy("create_time").orderBy("kid"),
);
const insert = statement((db, p: Tables["signing_keys"]) =>
  db.insertInto("signing_keys").values({
    kid: p.kid,
    create_time: p.create_time,
    public_key: p.public_key,
    private_key: p.private_key,
  }),
);
const setPrivateKey = statement((db, p: { kid: string; private_key: Uint8Array }) =>
  db.updateTable("signing_keys").set({ private_key: p.private_key }).where("kid", "=", p.kid),
);
const remove = statement((db, p: { kid: string }) => db.deleteFrom("signing_keys").where("kid", "=", p.kid));

interface SigningKey extends ScheduledKey {
  readonly jwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: KeyObject;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: WallClock;
  readonly log: Logger;
  /** Milliseconds between the creation of two keys. */
  readonly interval: number;
}

/**
 * The keys that sign and verify API tokens. They are stored in the database, the private ones sealed, and all replicas
 * follow the same schedule (`scheduleOf`). There is no background task: every use of a key applies the schedule first if
 * the last time was long ago.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  #keys: readonly [SigningKey, ...SigningKey[]];
  #refreshedAt: number;
  #refresh: Promise<void> | undefined;

  private constructor(options: SigningKeysOptions, keys: readonly [SigningKey, ...SigningKey[]]) {
    this.#options = options;
    this.#keys = keys;
    this.#refreshedAt = options.clock();
  }

  /** Loads the keys and creates the first one if there is none. @throws Error if they were sealed with another key file */
  static async load(options: SigningKeysOptions): Promise<SigningKeys> {
    return new SigningKeys(options, await loadKeys(options, []));
  }

  /** The key that signs. */
  async current(): Promise<{ readonly kid: string; readonly privateKey: KeyObject }> {
    await this.#refreshEvery(refreshInterval);
    return this.#schedule().current;
  }

  /** When the key that signs was created, in milliseconds since the epoch. */
  async currentCreatedAt(): Promise<number> {
    await this.#refreshEvery(refreshInterval);
    return this.#schedule().current.createTime;
  }

  /**
   * The published key with the id. An unknown id refreshes the keys, because another replica may have created it; and so does a known one
   * after a while, because it may have been deleted.
   */
  async publicKey(kid: string): Promise<CryptoKey | undefined> {
    await this.#refreshEvery(refreshInterval);
    const known = this.#published(kid);
    if (known !== undefined) return known.publicKey;
    await this.#refreshEvery(retryInterval);
    return this.#published(kid)?.publicKey;
  }

  /** The published keys, as in a JWKS document. */
  async published(): Promise<JWK[]> {
    await this.#refreshEvery(refreshInterval);
    return this.#schedule().published.map(({ jwk }) => jwk);
  }

  #schedule() {
    return scheduleOf(this.#keys, this.#options.interval, this.#options.clock());
  }

  #published(wanted: string): SigningKey | undefined {
    return this.#schedule().published.find(({ kid }) => kid === wanted);
  }

  async #refreshEvery(milliseconds: number): Promise<void> {
    if (this.#options.clock() - this.#refreshedAt < milliseconds) return;
    this.#refresh ??= this.#refreshNow().finally(() => {
      this.#refresh = undefined;
    });
    await this.#refresh;
  }

  /** Keeps the known keys if the database is unavailable. */
  async #refreshNow(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      const before = this.#keys;
      this.#keys = await loadKeys(this.#options, before);
      for (const { kid } of missingIn(before, this.#keys)) log.info({ kid }, "signing key published");
      for (const { kid } of missingIn(this.#keys, before)) log.info({ kid }, "signing key removed");
      this.#refreshedAt = clock();
    } catch (error) {
      log.warn({ err: error }, "refresh of the signing keys failed; the known keys stay in use");
      this.#refreshedAt = clock() - refreshInterval + retryInterval;
    }
  }
}

/** Those of the keys that the others do not contain. */
function missingIn(others: readonly SigningKey[], keys: readonly SigningKey[]): readonly SigningKey[] {
  return keys.filter(({ kid }) => !others.some((other) => other.kid === kid));
}

/** Applies the schedule to the stored keys, creating and deleting keys as needed, and returns the result. */
async function loadKeys(
  options: SigningKeysOptions,
  cached: readonly SigningKey[],
): Promise<readonly [SigningKey, ...SigningKey[]]> {
  const { database, masterKey, clock, log, interval } = options;
  const rows = await database.read(rowsIn);
  if (!isUpToDate(rows, interval, clock())) {
    // A platform that runs on while the key file is rotated must not add a key that the others cannot open.
    for (const { private_key } of rows) masterKey.open(sealPurpose, private_key);
    // A transaction must not await anything else, so the key is created before it. If another replica was faster, it is discarded.
    const newKey = await newSigningKey(masterKey, clock());
    const changed = await database.write((tx) => applySchedule(tx, newKey, interval, clock()));
    rows.splice(0, rows.length, ...changed);
    if (rows.some(({ kid }) => kid === newKey.kid)) log.info({ kid: newKey.kid }, "signing key created");
  }
  const opened = await Promise.all(
    rows.map(async (row) => cached.find(({ kid }) => kid === row.kid) ?? openKey(masterKey, row)),
  );
  const [first, ...others] = opened;
  if (first === undefined) throw new Error("no signing key was created");
  return [first, ...others];
}

export async function insertSigningKey(tx: Writer, key: Tables["signing_keys"]): Promise<void> {
  await tx.run(insert, key);
}

/** The private keys in plain text, by key id. @throws Error if they were sealed with another key file */
export async function openSealedKeys(database: Database, masterKey: MasterKey): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read(rowsIn);
  return new Map(rows.map(({ kid, private_key }) => [kid, masterKey.open(sealPurpose, private_key)]));
}

/**
 * Seals the private keys with another key. @returns how many
 * @throws Error if one opens with neither of the keys
 */
export async function resealSigningKeys(
  tx: Writer,
  keys: { readonly from: MasterKey; readonly to: MasterKey },
): Promise<number> {
  let count = 0;
  for (const { kid, private_key } of await rowsIn(tx)) {
    const resealed = reseal(keys, sealPurpose, private_key);
    if (resealed === undefined) continue;
    await tx.run(setPrivateKey, { kid, private_key: resealed });
    count += 1;
  }
  return count;
}

function rowsIn(tx: Reader): Promise<Tables["signing_keys"][]> {
  return tx.all(select, {});
}

function scheduleOfRows(rows: readonly Tables["signing_keys"][], interval: number, now: number) {
  const [first, ...others] = rows.map(({ kid, create_time }) => ({ kid, createTime: create_time }));
  return first === undefined ? undefined : scheduleOf([first, ...others], interval, now);
}

function isUpToDate(rows: readonly Tables["signing_keys"][], interval: number, now: number): boolean {
  const schedule = scheduleOfRows(rows, interval, now);
  return schedule !== undefined && !schedule.due && schedule.expired.length === 0;
}

/** Applies the schedule in the transaction: only one of several replicas creates the key that is due. */
async function applySchedule(tx: Writer, newKey: Tables["signing_keys"], interval: number, now: number) {
  const schedule = scheduleOfRows(await rowsIn(tx), interval, now);
  if (schedule === undefined || schedule.due) await insertSigningKey(tx, newKey);
  for (const { kid } of schedule?.expired ?? []) await tx.run(remove, { kid });
  return rowsIn(tx);
}

async function openKey(masterKey: MasterKey, row: Tables["signing_keys"]): Promise<SigningKey> {
  const jwk = JSON.parse(row.public_key) as JWK;
  const privateJwk = JSON.parse(masterKey.open(sealPurpose, row.private_key)) as JWK;
  return {
    kid: row.kid,
    createTime: row.create_time,
    jwk,
    publicKey: (await importJWK(jwk, signingAlgorithm)) as CryptoKey,
    privateKey: createPrivateKey({ key: privateJwk, format: "jwk" }),
  };
}

/** A new key, sealed with the master key. It is stored by `insertSigningKey`. */
export async function newSigningKey(masterKey: MasterKey, now: number): Promise<Tables["signing_keys"]> {
  const pair = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    kid,
    create_time: now,
    public_key: JSON.stringify({ ...jwk, kid, alg: signingAlgorithm, use: "sig" }),
    private_key: masterKey.seal(sealPurpose, JSON.stringify(await exportJWK(pair.privateKey))),
  };
}
