import type { Caller } from "../authorization/caller.ts";
import { type ApiError, resourceExhausted } from "../errors/api-error.ts";
import { Pool, type PoolRefusal } from "../shares/pool.ts";
import { identityShares, type Share, unauthenticatedShares } from "../shares/share.ts";
import { callerShares } from "./caller-shares.ts";

/** Seconds after which a rejected call may be retried. */
const retryAfter = 1;

export interface CallSlotsOptions {
  /** The maximum number of calls that run at the same time, and of those that wait for others. */
  readonly maximumInFlight: number;
  /** Observes the number of running calls. */
  readonly onChange: (running: number) => void;
}

/**
 * The slots of running calls, which root groups, identities and, before authentication, addresses share. A call that waits
 * for somebody else, such as an issuer, gives up its slot and waits in a pool of its own, which is shared in the same way.
 */
export class CallSlots {
  readonly #running: Pool;
  readonly #waiting: Pool;
  readonly #onChange: (running: number) => void;

  constructor({ maximumInFlight, onChange }: CallSlotsOptions) {
    this.#running = new Pool(maximumInFlight);
    this.#waiting = new Pool(maximumInFlight);
    this.#onChange = onChange;
  }

  /** The slot of a call; it is not taken yet. @param address of the client */
  slotFor(address: string): CallSlot {
    return new CallSlot(this.#running, this.#waiting, address, this.#onChange);
  }
}

/** The slot of one call. */
export class CallSlot {
  readonly #running: Pool;
  readonly #waiting: Pool;
  /** The address of the client. */
  readonly address: string;
  readonly #onChange: (running: number) => void;
  #held: readonly Share[] | undefined;
  #caller: Caller | undefined;

  constructor(running: Pool, waiting: Pool, address: string, onChange: (running: number) => void) {
    this.#running = running;
    this.#waiting = waiting;
    this.address = address;
    this.#onChange = onChange;
  }

  /** The authenticated caller; undefined if the slot was not taken for one. */
  get caller(): Caller | undefined {
    return this.#caller;
  }

  /** The shares that the slot is taken from; those of its address while it is not taken. */
  get shares(): readonly Share[] {
    return this.#held ?? unauthenticatedShares(this.address);
  }

  /** Takes the slot before the caller is known. @throws ApiError (8) */
  takeUnauthenticated(): void {
    this.#take(unauthenticatedShares(this.address));
  }

  /** Takes the slot for a caller, from the shares of whom it was taken for before. @throws ApiError (8) */
  takeFor(caller: Caller): void {
    this.#caller = caller;
    this.#take(callerShares(caller));
  }

  /**
   * Runs work that waits for somebody else on behalf of an identity. Meanwhile the call has no slot; after that, it takes
   * one for the identity.
   * @param uid of the identity
   * @throws ApiError (8) if the identity or its root group has too many waiting or running calls; what the work throws
   */
  async whileWaiting<T>(uid: string, work: () => Promise<T>): Promise<T> {
    const shares = identityShares(uid);
    const refusal = this.#waiting.take(shares);
    if (refusal !== undefined) throw exhausted(refusal, "waiting");
    this.release();
    let result: T;
    try {
      result = await work();
    } finally {
      this.#waiting.giveBack(shares);
    }
    this.#take(shares);
    return result;
  }

  /** Gives up the slot, if it is held. */
  release(): void {
    if (this.#held === undefined) return;
    this.#running.giveBack(this.#held);
    this.#held = undefined;
    this.#onChange(this.#running.used);
  }

  #take(shares: readonly Share[]): void {
    this.release();
    const refusal = this.#running.take(shares);
    if (refusal !== undefined) throw exhausted(refusal, "concurrent");
    this.#held = shares;
    this.#onChange(this.#running.used);
  }
}

function exhausted(refusal: PoolRefusal, state: "concurrent" | "waiting"): ApiError {
  return resourceExhausted(`too many ${state} calls${owners[refusal]}; retry later`, retryAfter);
}

const owners: Readonly<Record<PoolRefusal, string>> = {
  full: "",
  address: " by clients with this address",
  network: " by clients of this network",
  proxies: " by the proxies",
  unauthenticated: " by clients that are not authenticated",
  identity: " by this identity",
  rootGroup: " by the identities of this root group",
};
