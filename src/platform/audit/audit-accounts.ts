import { BoundedCache } from "../limits/bounded-cache.ts";
import type { Quota } from "../limits/quota.ts";
import { DatabaseUnavailableError } from "../store/database.ts";
import { type Account, AuditCharges } from "./audit-charges.ts";

/** The root groups whose parts are known. Those who wrote nothing for the longest time lose what is left of their part. */
const known = { entries: 10_000, bytes: 4 * 1024 * 1024 };

/**
 * The shares of root groups in the audit log, of a day (UTC). The database has what all replicas have reserved; each reserves a part of
 * a share before it writes records, in the transaction of the first one, and then counts in memory. So the records of a day never take
 * more than the share, and a change rarely costs a statement. What is left of a part when a replica stops is lost.
 */
export class AuditAccounts {
  readonly #quota: Quota;
  readonly #accounts = new BoundedCache<string, Account>(known);

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  /**
   * Runs a write whose records are charged. They count if it is committed, or if nobody knows whether it was.
   * @param write calls `begin` at the start of each attempt of its transaction
   */
  async settled<T>(write: (begin: () => AuditCharges) => Promise<T>): Promise<T> {
    let charges: AuditCharges | undefined;
    try {
      const result = await write(() => {
        charges?.undo();
        charges = new AuditCharges(this.#quota, this.#accountOf);
        return charges;
      });
      charges?.keep();
      return result;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError && error.outcome === "unknown")) charges?.undo();
      throw error;
    }
  }

  readonly #accountOf = (owner: string, day: number): Account => {
    const found = this.#accounts.get(owner);
    if (found !== undefined && found.day >= day) return found;
    const opened: Account = { day, reserved: 0, left: 0 };
    this.#accounts.set(owner, opened, 2 * owner.length + 200);
    return opened;
  };
}
