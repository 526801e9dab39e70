import { globSync, readFileSync } from "node:fs";
import { seeded } from "#test/support/seeded.ts";
import { type Mutant, mutationsOf } from "./mutations.ts";
import { wellTyped } from "./well-typed.ts";

const folders = "src/reconcile/{policy,observe,tenancy,undeclared}";

/**
 * Random mutants of the reconciler's policy that the compiler accepts, the same for the same seed and the same code.
 * @param path only of files whose path contains it
 */
export function sample({ seed, count, path }: { seed: number; count: number; path: string }): Mutant[] {
  const random = seeded(seed);
  const shuffled = filesToMutate()
    .filter((file) => file.includes(path))
    .flatMap((file) => mutantsOf(file))
    .map((mutant) => ({ mutant, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ mutant }, index) => ({ ...mutant, number: index + 1 }));
  const accepted: Mutant[] = [];
  for (let at = 0; accepted.length < count && at < shuffled.length; at += 2 * count)
    accepted.push(...wellTyped(shuffled.slice(at, at + 2 * count)));
  return accepted.slice(0, count).map((mutant, index) => ({ ...mutant, number: index + 1 }));
}

/** Files that hold only messages have no decision that could be wrong. */
function filesToMutate(): string[] {
  return globSync(`${folders}/**/*.ts`)
    .filter((file) => !/\.(test|testing)\.ts$|messages\.ts$/.test(file))
    .toSorted();
}

function mutantsOf(file: string): Omit<Mutant, "number">[] {
  const text = readFileSync(file, "utf8");
  return mutationsOf(text).map((mutation) => ({
    ...mutation,
    file,
    line: text.slice(0, mutation.start).split("\n").length,
  }));
}
