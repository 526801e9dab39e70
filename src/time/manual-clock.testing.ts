import { VirtualClock } from "./virtual-clock.ts";

export { settled } from "./virtual-clock.ts";

/** A clock for tests, whose wall clock can jump. */
export class ManualClock extends VirtualClock {
  #jumped = 0;

  constructor(wall: number = Date.UTC(2026, 0, 1)) {
    super(wall);
  }

  override now(): number {
    return super.now() + this.#jumped;
  }

  /** Moves the wall clock alone by `ms`, as when an administrator sets it. */
  jumpWall(ms: number): void {
    this.#jumped += ms;
  }
}
