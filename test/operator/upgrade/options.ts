import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";
import { setSize } from "./declarations.ts";

export interface UpgradeOptions {
  /** The older build: a commit, or the folder of a tree in which npm ci has run. */
  readonly from: string;
  /** The newer build, likewise; absent: this tree. */
  readonly to: string | undefined;
  readonly turns: number;
  readonly objects: number;
  readonly seed: number;
  readonly json: string | undefined;
}

export const usage = `Usage: npm run upgrade -- --from COMMIT [--turns N] [--objects N]

Upgrades the operator and rolls it back, again and again, on one real control plane and one platform: two builds take turns as the
leader over objects of all kinds in two Tenants. The objects are Ready, adopted, observed, paused, denied, expired or in conflict;
some were created with the policy that adds the finalizer, and some without. A turn ends the leader (it stops, or gets SIGKILL in
the middle of its work, or the next one already waits for the Lease), applies the CRDs, the permissions and the policies of the
next build as the charts do (every other rollback keeps the newer CRDs), and starts the next leader. Objects are created, edited,
paused and deleted while no operator leads, and under each leader.

After each turn, every object is as declared and has one resource, which is the same one as before; what nobody touched is
untouched, on the platform and in Secrets; no resource is created twice; an object that nobody touched was written at most twice;
and nothing is written during two resyncs. At the end, everything is deleted, and nothing that was created is left.

  --from COMMIT    the older build: a commit of this repository, or the folder of a tree in which npm ci has run
  --to COMMIT      the newer build, likewise (default: this tree)
  --turns N        number of turns after the first leader (default 10): an upgrade, a rollback, and so on
  --objects N      number of objects, in sets of ${setSize} (default 500)
  --seed S         seed of the random choices (default 1)
  --json FILE      write the figures of the turns to FILE
  --help           print this text

The exit code is 1 if an invariant was violated.
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): UpgradeOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: "string" },
      to: { type: "string" },
      turns: { type: "string", default: "10" },
      objects: { type: "string", default: "500" },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.from === undefined) throw new Error("--from: name the commit, or the folder, of the older build");
  return {
    from: values.from,
    to: values.to,
    turns: wholeNumber("--turns", values.turns, 1),
    objects: wholeNumber("--objects", values.objects, 1),
    seed: wholeNumber("--seed", values.seed),
    json: values.json,
  };
}
