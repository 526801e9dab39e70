import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Mutant } from "./mutations.ts";

const folder = ".cache/mutants";

/**
 * The mutants that the compiler accepts: nobody could commit another one. One run checks all of them, each as a file of its own
 * beside the others. A mutant counts as accepted if only a file that imports it would have an error.
 */
export function wellTyped(mutants: readonly Mutant[]): Mutant[] {
  rmSync(folder, { recursive: true, force: true });
  const copies = new Map(mutants.map((mutant) => [copyOf(mutant), mutant]));
  for (const [path, { file, start, end, text }] of copies) {
    const source = readFileSync(file, "utf8");
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${source.slice(0, start)}(${text})${source.slice(end)}`);
  }
  const settings = {
    extends: "../../tsconfig.json",
    compilerOptions: { rootDirs: [".", "../.."], noUnusedLocals: false, noUnusedParameters: false },
    include: ["src"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
  const { stdout, error } = spawnSync("tsc", ["-p", folder, "--pretty", "false"], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw error;
  const wrong = new Set([...stdout.matchAll(/^(\S+)\(\d+,\d+\): error /gm)].map(([, path = ""]) => path));
  const elsewhere = [...wrong].filter((path) => !copies.has(path));
  if (elsewhere.length > 0)
    throw new Error(`The code has type errors without a mutant: ${elsewhere.join(", ")}\n${stdout.slice(0, 2_000)}`);
  rmSync(folder, { recursive: true });
  return mutants.filter((mutant) => !wrong.has(copyOf(mutant)));
}

function copyOf({ number, file }: Mutant): string {
  return join(folder, dirname(file), `${number}-${basename(file)}`);
}
