import { minutes } from "#src/time/durations.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import { resourceExhausted } from "../errors/api-error.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import { loginLimits } from "../limits/login-limits.ts";

const windowMs = minutes(10);

interface Attempts {
  readonly since: number;
  /** Those with wrong codes, and those that have not ended. */
  count: number;
}

/**
 * Limits the wrong codes that an address can try. It is in memory, so each replica counts its own: a guesser with more addresses
 * gains more than with more replicas, and in a shared table, strangers could write rows. What protects the codes is their size: an
 * invite has 256 bits, and a device code, which lives for 10 minutes, is one of 20 to the power of 8. Whoever guesses that gives
 * its own login to the device of somebody else, which the threat model counts.
 */
export class AttemptLimit {
  readonly #clock: WallClock;
  readonly #attempts = new BoundedCache<string, Attempts>({ entries: 10_000, bytes: 4 * 1024 * 1024 });

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /**
   * Tries a code. The attempt counts while the work lasts, so that many at once are limited, and after that if the code was wrong.
   * @param work calls `wrong` if the code is
   * @throws ApiError (8) if the address has tried too many wrong codes
   */
  async try<T>(address: string, work: (wrong: () => void) => Promise<T>): Promise<T> {
    const attempts = this.#begin(address);
    let isWrong = false;
    try {
      return await work(() => {
        isWrong = true;
      });
    } finally {
      if (!isWrong) attempts.count -= 1;
    }
  }

  /** @throws ApiError (8) if the address has tried too many wrong codes */
  check(address: string): void {
    const attempts = this.#current(address);
    if (attempts === undefined || attempts.count < loginLimits.wrongCodes.value) return;
    const seconds = Math.ceil((attempts.since + windowMs - this.#clock()) / 1_000);
    throw resourceExhausted("too many wrong codes from this address; retry later", seconds);
  }

  #begin(address: string): Attempts {
    this.check(address);
    const current = this.#current(address);
    const attempts = current ?? { since: this.#clock(), count: 0 };
    if (current === undefined) this.#attempts.set(address, attempts, 256 + 2 * address.length);
    attempts.count += 1;
    return attempts;
  }

  #current(address: string): Attempts | undefined {
    const attempts = this.#attempts.get(address);
    return attempts === undefined || this.#clock() - attempts.since >= windowMs ? undefined : attempts;
  }
}
