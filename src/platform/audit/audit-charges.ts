import { quotaExceeded } from "../errors/api-error.ts";
import { type AuditShares, auditSharesOf, type Quota } from "../limits/quota.ts";
import type { ChangeAction } from "./audit-record.ts";
import { dayOf, endOf, reserveShare } from "../store/daily-share.ts";
import type { Writer } from "../store/database.ts";

/** The owner of the share of all admins, who belong to no root group. */
export const admins = "";
/** The share of a day is reserved in this many parts, so that few records cost a statement. */
const parts = 128;

/** What this process knows of the share of a root group. */
export interface Account {
  readonly day: number;
  /** What all replicas had reserved when this one reserved last (bytes). */
  reserved: number;
  /** What is left of what this one has reserved. Negative while a transaction has reserved more than that, and is not committed. */
  left: number;
}

/** What a transaction takes from an account. */
interface Taken {
  readonly account: Account;
  spent: number;
  /** What it has reserved, which counts when it is committed. */
  reserved: number;
  /** What all replicas have reserved with that; undefined if it has reserved nothing. */
  total: number | undefined;
}

/** The record of a change, in full form. */
export interface Cost {
  /** The root group of the resource, or `admins`. */
  readonly owner: string;
  readonly action: ChangeAction;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a change costs the share of its root group, and the form in which it is recorded. */
export interface Charge {
  readonly form: "full" | "short";
  /** Charges what the record takes instead of what was charged for its full form. @param bytes of what is written in its place */
  readonly correct: (bytes: number) => void;
}

/** What the records of one transaction take from the shares. */
export class AuditCharges {
  readonly #quota: Quota;
  readonly #accountOf: (owner: string, day: number) => Account;
  readonly #taken = new Map<string, Taken>();

  constructor(quota: Quota, accountOf: (owner: string, day: number) => Account) {
    this.#quota = quota;
    this.#accountOf = accountOf;
  }

  /**
   * Charges a share for the record of a change. Changes by admins are never refused.
   * @throws ApiError (8) if the day's share is used up; the change is not made then. Never for a deletion: there are at most as many as
   * resources.
   */
  async charge(tx: Writer, { owner, action, bytes, now }: Cost): Promise<Charge> {
    const taken = this.#takenFrom(owner, dayOf(now));
    const shares = auditSharesOf(this.#quota);
    const limit = owner === admins ? Number.POSITIVE_INFINITY : limitOf(action, shares);
    requireRoom(taken, owner, limit);
    const { account } = taken;
    const missing = bytes - account.left - taken.reserved;
    if (missing > 0) {
      const wanted = Math.max(missing, Math.floor(shares.full / parts));
      const row = await tx.first(reserveShare, { owner, day: account.day, amount: wanted });
      taken.total = row?.used ?? wanted;
      taken.reserved += wanted;
      requireRoom(taken, owner, limit);
    }
    spend(taken, bytes);
    return {
      form: totalOf(taken) <= shares.full ? "full" : "short",
      correct: (actual) => spend(taken, actual - bytes),
    };
  }

  /** The transaction was committed. */
  keep(): void {
    for (const { account, reserved, total } of this.#taken.values()) {
      account.left += reserved;
      account.reserved = Math.max(account.reserved, total ?? 0);
    }
  }

  /** Nothing of the transaction was kept. */
  undo(): void {
    for (const { account, spent } of this.#taken.values()) account.left += spent;
    this.#taken.clear();
  }

  #takenFrom(owner: string, day: number): Taken {
    const found = this.#taken.get(owner);
    if (found !== undefined) return found;
    const opened = { account: this.#accountOf(owner, day), spent: 0, reserved: 0, total: undefined };
    this.#taken.set(owner, opened);
    return opened;
  }
}

function spend(taken: Taken, bytes: number): void {
  taken.account.left -= bytes;
  taken.spent += bytes;
}

function limitOf(action: ChangeAction, { all, withRevocations }: AuditShares): number {
  if (action === "delete") return Number.POSITIVE_INFINITY;
  return action === "revokeTokens" ? withRevocations : all;
}

function totalOf({ account, total }: Taken): number {
  return total ?? account.reserved;
}

/** @throws ApiError (8) if what is spent of the share reaches the limit */
function requireRoom(taken: Taken, owner: string, limit: number): void {
  const { account, reserved } = taken;
  if (totalOf(taken) - account.left - reserved < limit) return;
  throw quotaExceeded(
    owner,
    `the changes in group "${owner}" have ${limit} bytes of audit records today, which is its share (--maximum-audit-bytes); further ones are refused until ${new Date(endOf(account.day)).toISOString()}, except deletions`,
  );
}
