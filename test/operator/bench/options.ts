import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";

export interface BenchOptions {
  readonly objects: number;
  /** The platform delays each response by this many milliseconds. */
  readonly platformLatency: number;
  readonly admissionPolicy: boolean;
  /** The interval between resyncs while the operator is at rest, in seconds. */
  readonly resync: number;
  readonly json: string | undefined;
  /** The tree of sources, such as a worktree with an older commit, whose operator is measured in turn with this one. */
  readonly against: string | undefined;
  /** How many times each operator is measured. */
  readonly runs: number;
  /** Measures all settings of docs/performance.md and writes the tables of this file. */
  readonly page: string | undefined;
}

export const usage = `Usage: npm run bench -- [--objects N] [--json FILE]
       npm run bench -- --against DIR [--runs N] [--objects N] [--json FILE]

Measures the operator with everything on this machine: a real control plane, the platform, the operator and the load.

  --objects N             number of custom resources: a group, four identities, four role bindings, and so on
                          (at least 9, default 900)
  --json FILE             write the figures to FILE, as one JSON object; of several runs, as an array
  --runs N                measure N times (default 1)
  --against DIR           measure the operator of another tree of sources, in which npm ci has run, in turn with this one;
                          the platform is that of this tree
  --platform-latency MS   delay each response of the platform by MS milliseconds (default 0)
  --admission-policy      let the API server add the finalizer at creation
  --resync S              seconds between resyncs while the operator is at rest (default 5)
  --page FILE             measure all sizes, latencies and policies of docs/performance.md, and write its tables to FILE
  --help                  print this text
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): BenchOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      objects: { type: "string", default: "900" },
      json: { type: "string" },
      against: { type: "string" },
      runs: { type: "string", default: "1" },
      "platform-latency": { type: "string", default: "0" },
      "admission-policy": { type: "boolean", default: false },
      resync: { type: "string", default: "5" },
      page: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.page !== undefined && (values.against !== undefined || values.runs !== "1"))
    throw new Error("--page: remove --against and --runs; the page has one run of this tree for each setting");
  return {
    objects: wholeNumber("--objects", values.objects, 9),
    platformLatency: wholeNumber("--platform-latency", values["platform-latency"], 0),
    admissionPolicy: values["admission-policy"],
    resync: wholeNumber("--resync", values.resync, 1),
    json: values.json,
    against: values.against,
    runs: wholeNumber("--runs", values.runs, 1),
    page: values.page,
  };
}
