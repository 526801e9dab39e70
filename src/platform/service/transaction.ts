import type { WallClock } from "#src/time/wall-clock.ts";
import type { Access } from "../authorization/access.ts";
import type { Caller } from "../authorization/caller.ts";
import { accessOf } from "../authorization/grants.ts";
import type { AuditAccounts } from "../audit/audit-accounts.ts";
import { authorOf } from "../audit/author.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import type { PageTokens } from "../resources/page-token.ts";
import { type Database, DatabaseUnavailableError, type Reader } from "../store/database.ts";
import { callerShares } from "./caller-shares.ts";
import { OpenLists } from "./open-lists.ts";
import type { PlatformSettings } from "./platform-settings.ts";
import type { Call } from "./service.ts";

/** A call in its transaction. Its permissions are read in the same transaction as the data. */
export interface Transaction<T extends Reader = Reader> {
  readonly tx: T;
  readonly caller: Caller;
  readonly access: Access;
  /** Milliseconds since the epoch, constant during the call. */
  readonly now: number;
  readonly settings: PlatformSettings;
  readonly pageTokens: PageTokens;
}

export type WriteTransaction = Transaction<AuthoredWriter>;

/** The methods that only take something away. They must succeed also when nothing else does. */
const takesAway = /\/(Delete[A-Za-z]*|RevokeTokens)$/;

/** Opens a transaction for each call. */
export class Transactions {
  readonly openLists = new OpenLists();
  readonly #database: Database;
  readonly #clock: WallClock;
  readonly #settings: PlatformSettings;
  readonly #pageTokens: PageTokens;
  readonly #auditAccounts: AuditAccounts;

  constructor(
    database: Database,
    clock: WallClock,
    settings: PlatformSettings,
    pageTokens: PageTokens,
    auditAccounts: AuditAccounts,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#settings = settings;
    this.#pageTokens = pageTokens;
    this.#auditAccounts = auditAccounts;
  }

  /** Runs the work in a read transaction. @throws ApiError */
  read<T>(call: Call, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#database.read(
      async (tx) => await work(await this.#open(tx, call, this.#clock())),
      callerShares(call.caller),
    );
  }

  /** Runs the work in a write transaction: all of it is committed, or none. @throws ApiError */
  write<T>(call: Call, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    const { quota } = this.#settings;
    return this.#auditAccounts.settled((begin) =>
      this.#database.write(
        async (tx) => {
          const now = this.#clock();
          const writer = new AuthoredWriter(tx, authorOf(call.caller), now, { quota, charges: begin() }, call);
          return await work(await this.#open(writer, call, now));
        },
        callerShares(call.caller),
        takesAway.test(call.method) ? "reserved" : "normal",
      ),
    );
  }

  /**
   * Runs work that may be too large for one transaction, in as many as it takes: other writes run between them. Each has the
   * caller's permissions at its time, and checks again what the work requires. What the transactions before a failure
   * have changed is kept, so the work is done in an order in which the call can be repeated.
   * @param work does a bounded part, and returns whether it was the last one
   * @throws ApiError, DatabaseUnavailableError
   */
  async writeInParts(call: Call, work: (transaction: WriteTransaction) => Promise<boolean>): Promise<void> {
    for (let [isDone, isFirst] = [false, true]; !isDone; isFirst = false)
      try {
        isDone = await this.write(call, work);
      } catch (error) {
        if (isFirst || !(error instanceof DatabaseUnavailableError)) throw error;
        throw new DatabaseUnavailableError("a part of the change was made", { outcome: "partial", cause: error });
      }
  }

  async #open<R extends Reader>(tx: R, { caller }: Call, now: number): Promise<Transaction<R>> {
    return {
      tx,
      caller,
      access: await accessOf(tx, caller, now),
      now,
      settings: this.#settings,
      pageTokens: this.#pageTokens,
    };
  }
}
