import { parseArgs } from "node:util";

export interface BenchOptions {
  readonly objects: number;
  /** What each answer of the platform takes at least, in milliseconds. */
  readonly platformLatency: number;
  readonly admissionPolicy: boolean;
  /** The interval between drift passes while the operator is watched at rest, in seconds. */
  readonly resync: number;
  readonly json: string | undefined;
  /** Run the set of docs/performance.md and write its figures into this file. */
  readonly page: string | undefined;
}

export const usage = `npm run bench -- --objects N [--json FILE]

Measures the operator with everything on this machine: a real control plane, the platform, the operator and the load.

  --objects N             how many custom resources: a group, four identities, four bindings, and so on (default 900)
  --json FILE             write the figures there, as one JSON object
  --platform-latency MS   let each answer of the platform take so much longer (default 0)
  --admission-policy      the API server puts the finalizer on at creation
  --resync S              how often the platform is listed while the operator is watched at rest (default 5)
  --page FILE             instead: run all sizes, latencies and policies of docs/performance.md and write its tables
`;

/** @throws {Error} which says what is wrong with which option */
export function readOptions(args: readonly string[]): BenchOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      objects: { type: "string", default: "900" },
      json: { type: "string" },
      "platform-latency": { type: "string", default: "0" },
      "admission-policy": { type: "boolean", default: false },
      resync: { type: "string", default: "5" },
      page: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    objects: wholeNumber("--objects", values.objects, 9),
    platformLatency: wholeNumber("--platform-latency", values["platform-latency"], 0),
    admissionPolicy: values["admission-policy"],
    resync: wholeNumber("--resync", values.resync, 1),
    json: values.json,
    page: values.page,
  };
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${option}: "${text}" is not a whole number from ${least} on`);
  return value;
}
