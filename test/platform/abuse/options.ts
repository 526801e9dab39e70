import { parseArgs } from "node:util";
import { wholeNumber } from "#test/support/command-line.ts";
import { type Backend, backends } from "#test/platform/bench/options.ts";
import type { AbuseKind } from "./abuse-kind.ts";
import { abuseKinds } from "./kinds.ts";

export interface AbuseOptions {
  readonly backend: Backend;
  /** The kinds to run, in the order of the list of all kinds. */
  readonly kinds: readonly AbuseKind[];
  /** Duration of each kind. */
  readonly seconds: number;
  /** The folder that keeps the filled database for the next run; without it, the database is removed. */
  readonly data: string | undefined;
  /** The file to which the figures are written. */
  readonly json: string | undefined;
  /** The page whose table is written. */
  readonly page: string | undefined;
}

export const usage = `Usage: npm run abuse:platform -- [--kinds LIST] [--seconds N] [--backend NAME] [--json FILE] [--page FILE]

Abuses a platform that has a heap of 256 MiB, in many ways, while a bystander of another tenant calls it 30 times per
second. Exits with 1 if a call of the bystander fails or its 99th percentile reaches 250 ms, if the platform ends, or if
its memory reaches 512 MiB. Blocks of the event loop of more than 50 ms are marked with "!".

  --kinds LIST     kinds of abuse (default: all)
  --seconds N      duration of each kind (default 20)
  --backend NAME   ${backends.join(" or ")} (default sqlite)
  --data DIR       keep the filled database in DIR and reuse it; each kind runs on a copy
  --json FILE      write the figures to FILE
  --page FILE      write the table of the figures into FILE
  --help           print this text

${abuseKinds.map(({ name, what }) => `  ${name.padEnd(24)} ${what}`).join("\n")}
`;

/** @throws {Error} that names the invalid option */
export function readOptions(args: readonly string[]): AbuseOptions | "help" {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kinds: { type: "string" },
      seconds: { type: "string", default: "20" },
      backend: { type: "string", default: "sqlite" },
      data: { type: "string" },
      json: { type: "string" },
      page: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  const backend = backends.find((one) => one === values.backend);
  if (backend === undefined)
    throw new Error(`--backend: unknown value "${values.backend}"; use ${backends.join(" or ")}`);
  const names = values.kinds?.split(",");
  for (const name of names ?? [])
    if (!abuseKinds.some((kind) => kind.name === name)) throw new Error(`--kinds: unknown kind "${name}"; see --help`);
  return {
    backend,
    kinds: abuseKinds.filter(({ name }) => names === undefined || names.includes(name)),
    seconds: wholeNumber("--seconds", values.seconds, 1),
    data: values.data,
    json: values.json,
    page: values.page,
  };
}
