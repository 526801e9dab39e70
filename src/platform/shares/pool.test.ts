import { describe, expect, it } from "vitest";
import { Pool } from "./pool.ts";
import { addressShare, adminShares, identityShares, type Share, unauthenticatedShares } from "./share.ts";

/** Takes until the pool refuses. @returns how much was taken */
function fill(pool: Pool, shares: readonly Share[]): number {
  let taken = 0;
  while (pool.take(shares) === undefined) taken++;
  return taken;
}
const root = (digit: string) => digit.repeat(40);
const identity = (digit: string, number = 0) =>
  identityShares(`${root(digit)}/${number.toString(16).padStart(16, "0")}`);

describe("Pool", () => {
  it("leaves a third of the pool to others when one caller takes what it can", () => {
    const pool = new Pool(299);
    expect(fill(pool, [addressShare("192.0.2.1")])).toBe(200);
    expect(pool.take([addressShare("192.0.2.2")])).toBeUndefined();
    expect(pool.take([addressShare("192.0.2.1")])).toBe("address");
  });

  it("leaves room in a root group to the other identities of the group", () => {
    const pool = new Pool(300);
    fill(pool, identity("a"));
    expect(pool.take(identity("a"))).toBe("identity");
    expect(fill(pool, identity("a", 1))).toBeGreaterThan(10);
  });

  it("admits a newcomer while many root groups, identities and addresses take all that they can", () => {
    const pool = new Pool(1_000);
    const busy = [
      ..."abcdef".split("").flatMap((digit) => Array.from({ length: 20 }, (_, number) => identity(digit, number))),
      ...Array.from({ length: 200 }, (_, host) => unauthenticatedShares(`192.0.2.${host}`)),
    ];
    const running: (readonly Share[])[] = [];
    const refused = new Set<unknown>();
    for (let round = 0; round < 5_000; round++) {
      for (const shares of [busy[round % busy.length] ?? [], busy[(round * 7) % busy.length] ?? []])
        if (pool.take(shares) === undefined) running.push(shares);
      // The calls of the first rounds fill the pool; after that, one call ends in each round.
      if (round < 2_000) continue;
      pool.giveBack(running.shift() ?? []);
      for (const newcomer of [identity("0"), adminShares]) {
        const refusal = pool.take(newcomer);
        if (refusal === undefined) pool.giveBack(newcomer);
        else refused.add(refusal);
      }
    }
    expect(running.length).toBeGreaterThan(800);
    expect([...refused]).toEqual([]);
  });

  it.each([1, 2, 3, 5])("gives one caller at least half of a pool of %i", (capacity) => {
    expect(fill(new Pool(capacity), identity("a"))).toBeGreaterThanOrEqual(Math.ceil(capacity / 2));
  });

  it("takes nothing if one of the shares is full, and forgets callers that use nothing", () => {
    const pool = new Pool(30);
    const taken = fill(pool, identity("a"));
    expect(pool.used).toBe(taken);
    for (let count = 0; count < taken; count++) pool.giveBack(identity("a"));
    expect(pool.used).toBe(0);
    expect(fill(pool, identity("a"))).toBe(taken);
  });

  it("counts amounts such as bytes", () => {
    const pool = new Pool(900);
    expect(pool.take([addressShare("192.0.2.1")], 600)).toBeUndefined();
    expect(pool.take([addressShare("192.0.2.1")], 1)).toBe("address");
    expect(pool.take([addressShare("192.0.2.2")], 301)).toBe("full");
    expect(pool.take([addressShare("192.0.2.2")], 300)).toBeUndefined();
  });
});
