import { minutes } from "#src/time/durations.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import { resourceExhausted } from "../errors/api-error.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import { loginLimits } from "../limits/login-limits.ts";

const windowMs = minutes(10);

/** Limits the wrong codes that an address can try. It is in memory, so each replica counts its own. */
export class AttemptLimit {
  readonly #clock: WallClock;
  readonly #wrong = new BoundedCache<string, { readonly since: number; count: number }>({
    entries: 10_000,
    bytes: 4 * 1024 * 1024,
  });

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** @throws ApiError (8) if the address has tried too many wrong codes */
  check(address: string): void {
    const entry = this.#current(address);
    if (entry === undefined || entry.count < loginLimits.wrongCodes.value) return;
    const seconds = Math.ceil((entry.since + windowMs - this.#clock()) / 1_000);
    throw resourceExhausted("too many wrong codes from this address; retry later", seconds);
  }

  countWrong(address: string): void {
    const entry = this.#current(address);
    if (entry === undefined) this.#wrong.set(address, { since: this.#clock(), count: 1 }, 256 + 2 * address.length);
    else entry.count += 1;
  }

  #current(address: string): { readonly since: number; count: number } | undefined {
    const entry = this.#wrong.get(address);
    return entry === undefined || this.#clock() - entry.since >= windowMs ? undefined : entry;
  }
}
