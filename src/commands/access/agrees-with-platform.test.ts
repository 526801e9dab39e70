import { expect, it } from "vitest";
import { inTurn, oneIn, runsAll, seedsOf } from "#test/support/turn/in-turn.ts";
import { compareWithPlatform, type Defect } from "./compare-with-platform.testing.ts";

it("explain and who-can agree with what the platform then allows, whoever asks", { timeout: 120_000 }, async () => {
  const { seen, wrong } = await compareWithPlatform({ worlds: inTurn(seedsOf(27)) });
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(seen.asAdmin * oneIn).toBeGreaterThan(5_000);
  for (const count of [seen.yes, seen.no, seen.unknown, seen.limited, seen.resources, seen.holders, seen.listed])
    expect(count).toBeGreaterThan(runsAll ? 300 : 10);
});

const withoutFirst = <T>(all: readonly T[]) => all.slice(1);
it.each<[string, Defect]>([
  ["a role binding is missing", (state) => ({ ...state, bindings: withoutFirst(state.bindings) })],
  [
    "a role has one capability more",
    ({ roles, ...state }) => ({
      ...state,
      roles: roles.map((role) => ({ ...role, capabilities: new Set([...role.capabilities, "CAP_IAM_GROUPS_CREATE"]) })),
    }),
  ],
  ["the caller is believed to see everything", (state) => ({ ...state, seesEverything: true })],
  [
    "static keys never expire",
    ({ identities, ...state }) => ({
      ...state,
      identities: identities.map(({ assumedBy: { conditions, method }, ...identity }) => ({
        ...identity,
        assumedBy: { conditions, method },
      })),
    }),
  ],
])("finds a planted defect: %s", { timeout: 120_000 }, async (_, defect) => {
  expect((await compareWithPlatform({ defect, worlds: seedsOf(10) })).wrong).not.toEqual([]);
});
