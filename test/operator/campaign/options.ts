import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";

export interface CampaignOptions {
  readonly rounds: number;
  /** The first round has this seed, the next one the next number. */
  readonly seed: number;
  /** How many rounds run at the same time. */
  readonly parallel: number;
  /** How many operations a round performs. */
  readonly operations: number;
  /** How many of 100 calls to the platform fail on the way. */
  readonly faults: number;
  readonly verbose: boolean;
}

export const usage = `Usage: npm run campaign -- [--rounds N] [--seed S]

Runs Muster on a real control plane: the platform, two operators and two Tenants, one of them with credentials of its own.
Each round does random work with objects of every kind (create, edit, rename, delete, adopt, observe, orphan, expire and extend;
declare a grant several times, and end one of them; replace client secrets; move namespaces between Tenants; change, narrow and
re-create Tenants; delete namespaces; change, grant, bind and link accounts by hand on the platform, also with names and grants that
an object then declares; give a resource the marker of another owner; bind a role that the Tenant may not bind to an identity and
change who may assume it; take the owner id from the operator; lose and restore statuses) while operators, the platform and the API
server are killed, leaders are paused beyond their Lease, connections to Kubernetes are cut or stall, responses of the platform are
lost, and no operator runs for a while. In half of the rounds, the admission policies of deploy/ are installed; in half, the Tenants
do not let objects leave what they manage. Then it compares the platform with what the objects that are left declare, the codes in
Secrets with the invites, and the client secrets in the platform's data with the Secrets; it deletes the objects, and compares again.
What a Ready object says must exist with the declared values; what other clients made must be as they left it. No token, code or
client secret may be in a log, metric, event or object. Each round prints how many it compared: a round that compared nothing
found nothing.

  --rounds N       number of rounds (default 5)
  --seed S         seed of the first round; the following rounds have the following numbers (default 1). The same seed
                   repeats the operations and their order, but not the timing of the processes
  --parallel N     number of rounds that run at the same time, each with a control plane of its own (default 3): a round mostly
                   waits, and uses a tenth of a core and 1.3 GB of memory
  --operations N   operations per round (default 70): each kind once, if there are enough, and the others at random
  --faults PERCENT share of the calls to the platform that fail on the way (default 10)
  --verbose        print every operation
  --help           print this text

The exit code is 1 if an invariant was violated. Then the logs, the metrics, the Lease and the state are in a temporary folder,
which the output names.
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): CampaignOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      seed: { type: "string", default: "1" },
      parallel: { type: "string", default: "3" },
      operations: { type: "string", default: "70" },
      faults: { type: "string", default: "10" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    rounds: wholeNumber("--rounds", values.rounds, 1),
    seed: wholeNumber("--seed", values.seed),
    parallel: wholeNumber("--parallel", values.parallel, 1),
    operations: wholeNumber("--operations", values.operations, 1),
    faults: wholeNumber("--faults", values.faults),
    verbose: values.verbose,
  };
}
