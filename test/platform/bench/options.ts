import { parseArgs } from "node:util";
import { caseNames } from "./case-names.ts";

export const backends = ["sqlite", "postgres"] as const;
export type Backend = (typeof backends)[number];

export interface PlatformBenchOptions {
  readonly backends: readonly Backend[];
  /** How many resources the tree has. */
  readonly sizes: readonly number[];
  readonly cases: readonly string[];
  /** Calls at once. */
  readonly callers: number;
  /** How long each case is measured. */
  readonly seconds: number;
  /** Where filled data is kept for the next run; thrown away where undefined. */
  readonly data: string | undefined;
  /** The figures of this run are added to those in it. */
  readonly json: string | undefined;
  /** The page whose tables are written from the JSON file. */
  readonly page: string | undefined;
}

export const usage = `npm run bench:platform -- [--backend LIST] [--sizes LIST] [--cases LIST] [--json FILE]

Measures the platform, the bundle with the V8 settings of the image, as a process on a core of its own; the load runs on
the other one, with PostgreSQL where that is the backend.

  --backend LIST   of ${backends.join(", ")} (default: both)
  --sizes LIST     how many resources there are (default 1000,100000,1000000)
  --cases LIST     of ${caseNames.join(", ")} (default: all)
  --callers N      calls at once (default 16)
  --seconds N      how long each case is measured (default 4)
  --data DIR       keep the filled SQLite files there, and take them from there; each run works on a copy
  --json FILE      put the figures there; those of other backends, sizes and cases that it has stay
  --page FILE      write the tables of a page from the figures in --json FILE, once they are measured
`;

/** @throws {Error} which says what is wrong with which option */
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
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.page !== undefined && values.json === undefined)
    throw new Error("--page: needs --json FILE, which has the figures");
  return {
    backends: listed("--backend", values.backend, backends),
    sizes: values.sizes.split(",").map((size) => wholeNumber("--sizes", size, 1_000)),
    cases: listed("--cases", values.cases, caseNames),
    callers: wholeNumber("--callers", values.callers, 1),
    seconds: wholeNumber("--seconds", values.seconds, 1),
    data: values.data,
    json: values.json,
    page: values.page,
  };
}

function listed<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  return text === ""
    ? []
    : text.split(",").map((name) => {
        const found = known.find((one) => one === name);
        if (found === undefined) throw new Error(`${option}: "${name}" is none of ${known.join(", ")}`);
        return found;
      });
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${option}: "${text}" is not a whole number from ${least} on`);
  return value;
}
