import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { identityShares, type Share, unauthenticatedShares } from "../../shares/share.ts";
import { DatabaseUnavailableError } from "../database.ts";
import { ReadSlots } from "./read-slots.ts";

const [busy, other] = ["a", "b"].map((digit) => identityShares(`${digit.repeat(40)}/0123456789abcdef`)) as [
  readonly Share[],
  readonly Share[],
];

const exchanging = unauthenticatedShares("192.0.2.1");

describe("ReadSlots", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Takes slots for reads, until they wait. @returns what releases those that were taken so far */
  async function start(slots: ReadSlots, shares: readonly Share[], reads: number): Promise<(() => void)[]> {
    const taken: (() => void)[] = [];
    for (let n = 0; n < reads; n++)
      slots.take(shares).then(
        (release) => taken.push(release),
        () => {},
      );
    await settled();
    return taken;
  }

  /** Resolves when the reads that may start have started. */
  async function settled(): Promise<void> {
    for (let n = 0; n < 10; n++) await Promise.resolve();
  }

  it("gives all of them to an owner that calls alone", async () => {
    expect(await start(new ReadSlots(10, 5_000), busy, 20)).toHaveLength(10);
  });

  it("gives a fifth to an owner while another calls, and the others stay free", async () => {
    const slots = new ReadSlots(10, 5_000);
    await start(slots, other, 1);
    expect(await start(slots, busy, 20)).toHaveLength(2);
    expect(await start(slots, other, 1)).toHaveLength(1);
  });

  it("gives all of them to an owner that also exchanges tokens", async () => {
    const slots = new ReadSlots(10, 5_000);
    for (const release of await start(slots, exchanging, 1)) release();
    expect(await start(slots, busy, 20)).toHaveLength(10);
  });

  it("gives a fifth to those who are not authenticated while somebody who is calls", async () => {
    const slots = new ReadSlots(10, 5_000);
    await start(slots, other, 1);
    expect(await start(slots, exchanging, 20)).toHaveLength(2);
  });

  it("lets reads that wait for the share of their owner start as it releases slots", async () => {
    const slots = new ReadSlots(10, 5_000);
    await start(slots, other, 1);
    const taken = await start(slots, busy, 4);
    taken[0]?.();
    await settled();
    expect(taken).toHaveLength(3);
    for (const release of taken) release();
    await settled();
    expect(taken).toHaveLength(4);
  });

  it("gives an owner that held all of them no more until it has less than its share", async () => {
    const slots = new ReadSlots(10, 5_000);
    const taken = await start(slots, busy, 20);
    expect(await start(slots, other, 1)).toHaveLength(0);
    for (const release of taken.splice(0, 8)) release();
    await settled();
    expect(taken).toHaveLength(2);
    taken[0]?.();
    await settled();
    expect(taken).toHaveLength(3);
  });

  it("gives all of them again to an owner that has called alone for a second", async () => {
    const slots = new ReadSlots(10, 5_000);
    await start(slots, other, 1);
    const taken = await start(slots, busy, 9);
    expect(taken).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    taken[0]?.();
    await settled();
    expect(taken).toHaveLength(9);
  });

  it("gives free slots to waiting reads of an owner that has called alone for a second, without a release", async () => {
    const slots = new ReadSlots(10, 5_000);
    await start(slots, other, 1);
    const taken = await start(slots, busy, 4);
    vi.advanceTimersByTime(2_000);
    await settled();
    expect(taken).toHaveLength(4);
  });

  it("refuses a read that has waited for too long, and gives its slot to the next", async () => {
    const slots = new ReadSlots(1, 5_000);
    const [release] = await start(slots, busy, 1);
    const late = slots.take(busy);
    vi.advanceTimersByTime(4_000);
    const next = start(slots, other, 1);
    vi.advanceTimersByTime(1_000);
    await expect(late).rejects.toThrow(DatabaseUnavailableError);
    release?.();
    expect(await next).toHaveLength(1);
  });
});
