import type { Circuit } from "./circuit.ts";
import type { OwnerCheck } from "./owner-check.ts";

/**
 * The ends of what kept a session from calling or from writing: of its outages, and of what kept every session from writing
 * (`OwnerCheck`). What failed because of it can then be tried again.
 */
export class SessionRecoveries {
  readonly #circuit: Circuit;
  readonly #owner: OwnerCheck | undefined;
  readonly #signal: AbortSignal;

  constructor(circuit: Circuit, owner: OwnerCheck | undefined, signal: AbortSignal) {
    // The check of the owner reports the recoveries of the operator's credential, which may be that of the session.
    this.#circuit = circuit;
    this.#owner = owner;
    this.#signal = signal;
  }

  /** How many there were. */
  get count(): number {
    const ofOwner = this.#owner?.recoveries ?? 0;
    return this.#isCountedByOwner ? ofOwner : ofOwner + this.#circuit.recoveries;
  }

  /** Calls `listener` after each, until the session ends. */
  onRecovery(listener: () => void): void {
    this.#owner?.onRecovery(listener, this.#signal);
    if (this.#isCountedByOwner) return;
    this.#circuit.onChange((outage) => {
      if (outage === undefined) listener();
    });
  }

  get #isCountedByOwner(): boolean {
    return this.#owner?.circuit === this.#circuit;
  }
}
