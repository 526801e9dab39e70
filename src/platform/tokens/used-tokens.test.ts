import { afterAll, beforeAll, expect, it } from "vitest";
import { hours } from "#src/time/durations.ts";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { tokenLimits } from "../limits/token-limits.ts";
import { dayOf, reserveShare } from "../store/daily-share.ts";
import type { Database } from "../store/database.ts";
import { useOnce, wasUsed } from "./used-tokens.ts";

describeOnEachBackend("tokens that are accepted once", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ database, remove } = await open());
  });
  afterAll(() => remove());

  it("are refused above the share of their root group, and not remembered then; others and the next day have their own", async () => {
    const now = hours(24) * 20_000;
    const [tenant, bystander] = ["a".repeat(40), "b".repeat(40)];
    const use = (token: string, root: string, at = now) =>
      database.write((tx) => useOnce(tx, { token, owner: `${root}/${"1".repeat(16)}`, expires: at + 60_000 }, at));
    expect([await use("1", tenant), await use("1", tenant)]).toEqual([true, false]);
    const rest = { owner: `used tokens of ${tenant}`, day: dayOf(now), amount: tokenLimits.usedTokens.value - 2 };
    await database.write((tx) => tx.first(reserveShare, rest));
    expect(await use("2", tenant)).toBe(true);
    for (const token of ["3", "4"]) {
      const detail = { kind: "quota", subject: tenant };
      await expect(use(token, tenant)).rejects.toMatchObject({ code: 8, detail });
      expect(await database.read((tx) => wasUsed(tx, token, now))).toBe(false);
    }
    expect(await use("5", bystander)).toBe(true);
    expect(await use("3", tenant, now + hours(24))).toBe(true);
  });
});
