import { expect, it } from "vitest";
import { inTurn, runsAll, seedsOf } from "#test/support/turn/in-turn.ts";
import { compareDifferences, type WriteDefect } from "./compare-differences.testing.ts";

it("the access difference agrees with what the platform allows before and after", { timeout: 300_000 }, async () => {
  const { seen, wrong } = await compareDifferences({ changes: inTurn(seedsOf(300)) });
  expect(wrong.slice(0, 3)).toEqual([]);
  for (const count of [seen.gains, seen.loses, seen.nothing, seen.uncertain])
    expect(count).toBeGreaterThan(runsAll ? 300 : 10);
  expect(seen.assumptions).toBeGreaterThan(runsAll ? 50 : 1);
});

const without = (collection: string, made: string): WriteDefect => {
  return (writes) => writes.filter((write) => write.collection !== collection || write.do !== made);
};
it.each<[string, WriteDefect]>([
  ["role bindings are not created", without("roleBindings", "create")],
  ["the role bindings of deleted identities stay", without("identities", "delete")],
  ["changed roles keep their capabilities", without("roles", "update")],
  ["changed claims are not seen", without("identities", "update")],
])("finds a planted defect: %s", { timeout: 120_000 }, async (_, defect) => {
  expect((await compareDifferences({ changes: seedsOf(150), defect })).wrong).not.toEqual([]);
});
