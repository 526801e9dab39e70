import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";
import { caseNames } from "./case-names.ts";

export const backends = ["sqlite", "postgres"] as const;
export type Backend = (typeof backends)[number];

export interface PlatformBenchOptions {
  readonly backends: readonly Backend[];
  /** Numbers of resources in the tree. */
  readonly sizes: readonly number[];
  readonly cases: readonly string[];
  /** Concurrent calls. */
  readonly callers: number;
  /** Duration of the measurement of each case. */
  readonly seconds: number;
  /** The folder that keeps the filled databases for the next run; without it they are removed. */
  readonly data: string | undefined;
  /** The file to which the figures of this run are added. */
  readonly json: string | undefined;
  /** The page whose tables are written from the JSON file. */
  readonly page: string | undefined;
  /** The tree of sources, such as a worktree with an older commit, whose platform is the reference of a comparison. */
  readonly against: string | undefined;
  /** How many times the platform is started and compared with the reference. */
  readonly starts: number;
}

export const usage = `Usage: npm run bench:platform -- [--backend LIST] [--sizes LIST] [--cases LIST] [--json FILE]
       npm run bench:platform -- --against DIR [--starts N] [--backend LIST] [--sizes LIST] [--cases LIST]

Measures the platform: the bundle with the image's V8 settings, as a process on a core of its own. The load, and
PostgreSQL if it is the backend, run on the other core.

  --backend LIST   backends: ${backends.join(", ")} (default: both; '' measures none)
  --sizes LIST     numbers of resources, each at least 1000 (default 1000,100000,1000000)
  --cases LIST     cases (default: all):
                   ${caseNames.join(",\n                   ")}
  --callers N      concurrent calls (default 16)
  --seconds N      duration of the measurement of each case (default 4)
  --data DIR       keep the filled SQLite files in DIR and reuse them; each run works on a copy
  --json FILE      add the figures to FILE; it keeps the figures of other backends, sizes and cases
  --page FILE      after the measurement, write the tables of FILE from the figures in the --json file
  --against DIR    compare with the platform of another tree of sources, in which npm ci has run: both run at the same
                   time and take turns of a quarter of a second
  --starts N       with --against: start this tree's platform N times (default 1)
  --help           print this text
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): PlatformBenchOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      backend: { type: "string", default: backends.join(",") },
      sizes: { type: "string", default: "1000,100000,1000000" },
      cases: { type: "string", default: caseNames.join(",") },
      callers: { type: "string", default: "16" },
      seconds: { type: "string", default: "4" },
      data: { type: "string" },
      json: { type: "string" },
      page: { type: "string" },
      against: { type: "string" },
      starts: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.page !== undefined && values.json === undefined)
    throw new Error("--page: set --json FILE too; the tables are written from its figures");
  return {
    backends: listed("--backend", values.backend, backends),
    sizes: values.sizes.split(",").map((size) => wholeNumber("--sizes", size, 1_000)),
    cases: listed("--cases", values.cases, caseNames),
    callers: wholeNumber("--callers", values.callers, 1),
    seconds: wholeNumber("--seconds", values.seconds, 1),
    data: values.data,
    json: values.json,
    page: values.page,
    against: values.against,
    starts: wholeNumber("--starts", values.starts, 1),
  };
}

function listed<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  return text === ""
    ? []
    : text.split(",").map((name) => {
        const found = known.find((candidate) => candidate === name);
        if (found === undefined) throw new Error(`${option}: unknown value "${name}"; use ${known.join(", ")}`);
        return found;
      });
}
