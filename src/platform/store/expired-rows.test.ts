import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { notDownscoped } from "../authorization/caller.ts";
import { startFamily } from "../tokens/refresh-families.ts";
import { useOnce, wasUsed } from "../tokens/used-tokens.ts";
import { type Database, statement } from "./database.ts";
import { expiredTogether } from "./expired-rows.ts";

const rows = 250;
const counts = statement((db) =>
  db.selectNoFrom((row) => [
    row.selectFrom("used_tokens").select(row.fn.countAll<number>().as("n")).as("tokens"),
    row.selectFrom("refresh_families").select(row.fn.countAll<number>().as("n")).as("families"),
  ]),
);

describeOnEachBackend("rows that expire at the same time", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ database, remove } = await open());
  });
  afterAll(() => remove());

  it("are deleted by the next writes, some by each, and are not valid until then", async () => {
    const content = (n: number) => ({
      identityUid: `identity-${n}`,
      stamp: { value: "", key: undefined },
      audiences: [],
      downscoping: notDownscoped,
      actor: { iss: "i", sub: "s", aud: "a" },
    });
    const insert = (n: number, now: number) =>
      database.write(async (tx) => {
        await useOnce(tx, { token: `token-${n}`, owner: "a".repeat(40), expires: now + 1 }, now);
        await startFamily(tx, content(n), { now, expires: now + 1, maximum: 10 });
      });
    for (let n = 0; n < rows; n++) await insert(n, 1);
    expect(await database.read((tx) => wasUsed(tx, "token-0", 2))).toBe(false);
    const left: number[] = [];
    const deletedFamilies: number[] = [];
    let expired = rows;
    // Each new token deletes some, and one in 16 new families.
    for (let n = rows; left.length < 3 || expired > 0; n++) {
      await insert(n, 2);
      const found = await database.read((tx) => tx.first(counts, {}));
      left.push(Number(found?.tokens));
      const before = expired;
      expired = Number(found?.families) - left.length;
      deletedFamilies.push(before - expired);
    }
    expect(left.slice(0, 3)).toEqual([rows - expiredTogether + 1, rows - 2 * expiredTogether + 2, 3]);
    expect(deletedFamilies.filter((count) => count > 0)).toEqual([
      expiredTogether,
      expiredTogether,
      rows % expiredTogether,
    ]);
  });
});
