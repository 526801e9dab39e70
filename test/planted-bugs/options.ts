import { parseArgs } from "node:util";
import { type Area, areas, type Level, levels, type PlantedBug } from "./planted-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

export const usage = `Usage: npm run planted-bugs -- [--bug NAME]... [--area AREA] [--level LEVEL] [--as-before]
                               [--json FILE]

Plants bugs in a copy of this tree, one at a time, and looks for the cheapest test that finds each. It exits with 1 if no test
finds a bug, or only one of a dearer level than the table says.

  --bug NAME     plant only this bug; repeatable (default all)
  --area AREA    plant only the bugs of one area: ${areas.join(", ")}
  --level LEVEL  the dearest level that is tried: ${levels.join(", ")} (default cluster)
  --as-before    try only the file that found each bug last, which takes a few seconds for most bugs
  --json FILE    write the results to a file, after each bug
  --list         print the names of the bugs, and plant none
  --help         print this text
`;

export interface Options {
  readonly bugs: readonly PlantedBug[];
  readonly upTo: Level;
  /** Whether only the file is tried that found each bug last. */
  readonly asBefore: boolean;
  readonly json: string | undefined;
  readonly lists: boolean;
}

/** @throws {Error} if an argument is invalid */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      bug: { type: "string", multiple: true, default: [] },
      area: { type: "string" },
      level: { type: "string", default: "cluster" },
      "as-before": { type: "boolean", default: false },
      json: { type: "string" },
      list: { type: "boolean", default: false },
    },
  });
  const area = values.area === undefined ? undefined : oneOf<Area>("--area", values.area, areas);
  const bugs = area === undefined ? Object.values(plantedBugs).flat() : plantedBugs[area];
  const unknown = values.bug.find((name) => !bugs.some((bug) => bug.name === name));
  if (unknown !== undefined) throw new Error(`--bug: there is no bug "${unknown}"; --list prints all`);
  return {
    bugs: values.bug.length === 0 ? bugs : bugs.filter(({ name }) => values.bug.includes(name)),
    upTo: oneOf("--level", values.level, levels),
    asBefore: values["as-before"],
    json: values.json,
    lists: values.list,
  };
}

function oneOf<T extends string>(option: string, text: string, all: readonly T[]): T {
  const found = all.find((one) => one === text);
  if (found === undefined) throw new Error(`${option}: "${text}" is not one of ${all.join(", ")}`);
  return found;
}
