import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";

export const scenarioNames = ["tenants", "noisy", "adoption", "namespaces", "rest", "outage"] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export interface ScaleOptions extends Readonly<Record<Size, number>> {
  readonly scenarios: readonly ScenarioName[];
  /** The file to which the figures of this run are added. */
  readonly json: string | undefined;
  /** The page whose tables are written from the JSON file. */
  readonly page: string | undefined;
}

type Size = keyof typeof sizes;

/** The sizes of the issue, and small ones to try a scenario. */
const sizes = {
  tenants: { option: "tenants", full: 200, quick: 10 },
  namespaces: { option: "namespaces", full: 1000, quick: 50 },
  objects: { option: "objects", full: 10_000, quick: 500 },
  ownCredentials: { option: "own-credentials", full: 20, quick: 2 },
  resync: { option: "resync", full: 20, quick: 10 },
  broken: { option: "broken", full: 5000, quick: 240 },
  edits: { option: "edits", full: 500, quick: 100 },
  rate: { option: "rate", full: 50, quick: 50 },
  adopted: { option: "adopted", full: 2000, quick: 120 },
  deleted: { option: "deleted", full: 1000, quick: 100 },
  resting: { option: "resting", full: 2000, quick: 100 },
  waiting: { option: "waiting", full: 200, quick: 20 },
  outage: { option: "outage", full: 150, quick: 20 },
} as const;

const sizeNames = Object.keys(sizes) as Size[];

export const usage = `Usage: npm run bench:scale -- [--scenario LIST] [--quick] [--json FILE [--page FILE]]

Measures the operator with many Tenants, namespaces and objects: a real control plane, the platform, the operator and the
load, all on this machine. Each scenario has servers of its own.

  --scenario LIST      ${scenarioNames.join(", ")} (default: all; '' runs none)
  --quick              small sizes instead of the defaults below
  --tenants N          tenants: Tenants (default 200), of which
  --own-credentials N  tenants: … have credentials of their own (default 20)
  --namespaces N       tenants: namespaces of all Tenants together (default 1000)
  --objects N          tenants, rest: objects (default 10000)
  --resync S           tenants, rest: seconds between resyncs while at rest (default 20)
  --broken N           noisy: objects of one Tenant that cannot work (default 5000)
  --rate N             noisy: how many of them are applied per second (default 50)
  --edits N            noisy: edits of the other Tenant, at least, in each part (default 500)
  --adopted N          adoption: resources that exist already (default 2000)
  --deleted N          namespaces: objects that are deleted with their namespaces (default 1000)
  --resting N          outage: objects at rest (default 2000)
  --waiting N          outage: objects created, and as many edited, during the outage (default 200)
  --outage S           outage: its seconds (default 150)
  --json FILE          add the figures to FILE; it keeps those of other scenarios
  --page FILE          after the run, write the tables of FILE from the figures in the --json file
  --help               print this text
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): ScaleOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(sizeNames.map((name) => [sizes[name].option, { type: "string" as const }])),
      scenario: { type: "string", default: scenarioNames.join(",") },
      quick: { type: "boolean", default: false },
      json: { type: "string" },
      page: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  if (values.page !== undefined && values.json === undefined)
    throw new Error("--page: set --json FILE too; the tables are written from its figures");
  const given = values as Readonly<Record<string, string | boolean | undefined>>;
  const size = (name: Size): [Size, number] => {
    const { option, full, quick } = sizes[name];
    const text = given[option];
    const value = typeof text === "string" ? wholeNumber(`--${option}`, text, 1) : values.quick ? quick : full;
    return [name, value];
  };
  const chosen = Object.fromEntries(sizeNames.map(size)) as Record<Size, number>;
  if (chosen.ownCredentials >= chosen.tenants) throw new Error("--own-credentials must be less than --tenants");
  return {
    ...chosen,
    scenarios: values.scenario
      .split(",")
      .filter((name) => name !== "")
      .map(scenario),
    json: values.json,
    page: values.page,
  };
}

function scenario(name: string): ScenarioName {
  const found = scenarioNames.find((known) => known === name);
  if (found === undefined) throw new Error(`--scenario: "${name}" is not one of ${scenarioNames.join(", ")}`);
  return found;
}
