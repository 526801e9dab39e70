import type { Caller } from "../authorization/caller.ts";
import { resourceExhausted } from "../errors/api-error.ts";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { callerShares } from "./caller-shares.ts";

/** The most lists that are sent at a time. Each has some of its resources in memory. */
const maximum = 64;

/** The v1 lists whose rest is being sent, on this replica. Root groups and identities share them. */
export class OpenLists {
  readonly #lists = new Pool(maximum);

  /**
   * Counts a list until the returned function is called.
   * @throws ApiError (8) if too many lists are being sent
   */
  open(caller: Caller): () => void {
    const lease = Lease.take(this.#lists, callerShares(caller));
    if (lease === undefined)
      throw resourceExhausted("too many large lists are being sent; retry later, or use pages of v2beta1", 1);
    return () => lease.release();
  }
}
