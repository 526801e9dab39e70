import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import { type Reader, type Database, statement, type Writer } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import type { MasterKey } from "./key-file.ts";
import { type ScheduledKey, scheduleOf } from "./key-schedule.ts";

export const signingAlgorithm = "ES256";

/** The database is looked at for keys of other replicas, and for what is due, this often (ms). */
const lookInterval = 60_000;
/** A key id that is not known, or a database that does not answer, makes another look no sooner than this (ms). */
const lookAgainAfter = 5_000;

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
const remove = statement((db, p: { kid: string }) => db.deleteFrom("signing_keys").where("kid", "=", p.kid));

interface SigningKey extends ScheduledKey {
  readonly jwk: JWK;
  readonly publicKey: CryptoKey;
  readonly privateKey: CryptoKey;
}

export interface SigningKeysOptions {
  readonly database: Database;
  readonly masterKey: MasterKey;
  readonly clock: WallClock;
  readonly log: Logger;
  /** Milliseconds from one key to the next. */
  readonly interval: number;
}

/**
 * What the platform signs API tokens with, and everybody checks them with. The keys are in the database, private ones
 * sealed, and all replicas go by the same schedule: `scheduleOf`. Nothing runs by itself: whoever needs a key looks
 * whether it is time for something, so a platform that nobody calls changes nothing.
 */
export class SigningKeys {
  readonly #options: SigningKeysOptions;
  #keys: readonly [SigningKey, ...SigningKey[]];
  #lookedAt: number;
  #look: Promise<void> | undefined;

  private constructor(options: SigningKeysOptions, keys: readonly [SigningKey, ...SigningKey[]]) {
    this.#options = options;
    this.#keys = keys;
    this.#lookedAt = options.clock();
  }

  /** Loads the keys, and makes the first one. @throws Error where they were sealed under another key file */
  static async load(options: SigningKeysOptions): Promise<SigningKeys> {
    return new SigningKeys(options, await upToDate(options, []));
  }

  /** The key that signs now. */
  async current(): Promise<{ readonly kid: string; readonly privateKey: CryptoKey }> {
    await this.#lookEvery(lookInterval);
    return this.#schedule().current;
  }

  /** A key whose tokens may still hold; one of another replica that is new here is looked for. */
  async publicKey(kid: string): Promise<CryptoKey | undefined> {
    const known = this.#published(kid);
    if (known !== undefined) return known.publicKey;
    await this.#lookEvery(lookAgainAfter);
    return this.#published(kid)?.publicKey;
  }

  /** All that are published, as a JWKS document has them. */
  async published(): Promise<JWK[]> {
    await this.#lookEvery(lookInterval);
    return this.#schedule().published.map(({ jwk }) => jwk);
  }

  #schedule() {
    return scheduleOf(this.#keys, this.#options.interval, this.#options.clock());
  }

  #published(wanted: string): SigningKey | undefined {
    return this.#schedule().published.find(({ kid }) => kid === wanted);
  }

  async #lookEvery(milliseconds: number): Promise<void> {
    if (this.#options.clock() - this.#lookedAt < milliseconds) return;
    this.#look ??= this.#lookNow().finally(() => {
      this.#look = undefined;
    });
    await this.#look;
  }

  /** The known keys stay good while the database does not answer. */
  async #lookNow(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      this.#keys = await upToDate(this.#options, this.#keys);
      this.#lookedAt = clock();
    } catch (error) {
      log.warn({ err: error }, "the signing keys could not be looked up; the known ones stay in use");
      this.#lookedAt = clock() - lookInterval + lookAgainAfter;
    }
  }
}

/** The database's keys, after what is due has been done: one is made, those that are over are taken away. */
async function upToDate(
  options: SigningKeysOptions,
  known: readonly SigningKey[],
): Promise<readonly [SigningKey, ...SigningKey[]]> {
  const { database, masterKey, clock, log, interval } = options;
  const rows = await database.read(rowsIn);
  if (!isDone(rows, interval, clock())) {
    // Made outside of the transaction, which waits for nothing else; where another replica was faster, for nothing.
    const made = await makeKey(masterKey, clock());
    const changed = await database.write((tx) => change(tx, made, interval, clock()));
    rows.splice(0, rows.length, ...changed);
    if (rows.some(({ kid }) => kid === made.kid)) log.info({ kid: made.kid }, "made a signing key");
  }
  const opened = await Promise.all(
    rows.map(async (row) => known.find(({ kid }) => kid === row.kid) ?? openKey(masterKey, row)),
  );
  const [first, ...others] = opened;
  if (first === undefined) throw new Error("there is no signing key");
  return [first, ...others];
}

function rowsIn(tx: Reader): Promise<Tables["signing_keys"][]> {
  return tx.all(select, {});
}

function scheduleOfRows(rows: readonly Tables["signing_keys"][], interval: number, now: number) {
  const [first, ...others] = rows.map(({ kid, create_time }) => ({ kid, createTime: create_time }));
  return first === undefined ? undefined : scheduleOf([first, ...others], interval, now);
}

function isDone(rows: readonly Tables["signing_keys"][], interval: number, now: number): boolean {
  const schedule = scheduleOfRows(rows, interval, now);
  return schedule !== undefined && !schedule.due && schedule.over.length === 0;
}

/** Judged again inside of the transaction: of several replicas that find the same thing due, one does it. */
async function change(tx: Writer, made: Tables["signing_keys"], interval: number, now: number) {
  const schedule = scheduleOfRows(await rowsIn(tx), interval, now);
  if (schedule === undefined || schedule.due) await tx.run(insert, made);
  for (const { kid } of schedule?.over ?? []) await tx.run(remove, { kid });
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
    privateKey: (await importJWK(privateJwk, signingAlgorithm)) as CryptoKey,
  };
}

async function makeKey(masterKey: MasterKey, now: number): Promise<Tables["signing_keys"]> {
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
