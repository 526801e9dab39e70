import { inFewTurns } from "./in-turn.ts";
import { readTurn } from "./turn.ts";

/**
 * Suites of the project `cluster` whose requirements tests of every run check, too, with the operator in one process: what these
 * suites add is that it is so with real servers. Each has the paths of those tests. Three suites that follow each other run in
 * different turns, so they should cost about the same.
 */
export const cheaperTests: Readonly<Record<string, readonly string[]>> = inFolders({
  killed: ["closed-loop"],
  outage: ["outage"],
  "lost-responses": ["closed-loop"],

  taken: ["taken-since-the-list", "fresh-reads"],
  "owner-lost": ["owner-lost"],
  "killed-issuing": ["invite-interrupted"],

  unled: ["unled"],
  "account-association": ["account-association"],
  refused: ["refused-by-kubernetes", "unread-kind"],

  plan: ["plan", "plan-equals-act"],
  "uploaded-keys": ["uploaded-keys"],
  "group-invite": ["group-invite", "invite-code", "invite-secret"],

  undeclared: ["undeclared-reported", "undeclared-removed"],
  tenants: ["tenants", "tenants-granted"],
  import: ["import"],

  "identity-provider": ["identity-provider", "identity-provider-secret"],
});

function inFolders(names: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(names).map(([suite, simulations]) => [
      `test/operator/cluster/${suite}.test.ts`,
      simulations.map((name) => `test/operator/simulation/${name}.test.ts`),
    ]),
  );
}

/** A run has one suite of so many: three commits in a row have all. */
const oneIn = 3;

/**
 * The suites that a run leaves to the commits before and after it. It leaves none that it was asked for by a path.
 * @param turn as in the environment variable
 * @param args the arguments of Vitest
 */
export function suitesOfOtherTurns(turn: string, args: readonly string[]): readonly string[] {
  const all = Object.keys(cheaperTests);
  const chosen = new Set(inFewTurns(oneIn, all, readTurn(turn)));
  const paths = args.filter((arg) => arg.includes("/") || arg.endsWith(".test.ts"));
  return all.filter((suite) => !chosen.has(suite) && !paths.some((path) => suite.includes(path.replace(/^\.\//, ""))));
}
