import type { GovernedApi } from "./governed-api.ts";
import type { Outage } from "./outage.ts";
import type { OwnerCheck } from "./owner-check.ts";

/**
 * The ends of what kept a session from calling or from writing: of its outages, and of what kept every session from writing
 * (`OwnerCheck`). What failed because of it can then be tried again.
 */
export class SessionRecoveries {
  readonly #api: GovernedApi;
  readonly #owner: OwnerCheck | undefined;
  readonly #signal: AbortSignal;

  constructor(api: GovernedApi, owner: OwnerCheck | undefined, signal: AbortSignal) {
    // The check of the owner reports the recoveries of the operator's credential, which may be that of the session.
    this.#api = api;
    this.#owner = owner;
    this.#signal = signal;
  }

  /** How many there were. */
  get count(): number {
    const { suspension, writes } = this.#api;
    const counted = (this.#owner?.recoveries ?? 0) + writes.recoveries;
    return this.#isCountedByOwner ? counted : counted + suspension.recoveries;
  }

  /** Calls `listener` after each, until the session ends. */
  onRecovery(listener: () => void): void {
    const onEnd = (outage: Outage | undefined) => {
      if (outage === undefined) listener();
    };
    this.#owner?.onRecovery(listener, this.#signal);
    this.#api.writes.onChange(onEnd);
    if (!this.#isCountedByOwner) this.#api.suspension.onChange(onEnd);
  }

  get #isCountedByOwner(): boolean {
    return this.#owner?.suspension === this.#api.suspension;
  }
}
