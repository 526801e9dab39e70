import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { type Level, levels } from "./planted-bug.ts";

/** A level whose test files are ordered. */
export type OrderedLevel = Exclude<Level, "cluster">;

/** The test files of each level, as `vitest.config.ts` has them. */
const filesOfLevel: Readonly<Record<OrderedLevel, RegExp>> = {
  unit: /^(src|scripts)\/|^test\/(decisions|planted-bugs|support)\/[^/]+$/,
  postgres: /^src\/platform\/tests\/[^/]+$/,
  integration: /^test\/(operator\/simulation|platform)\//,
  admission: /^test\/operator\/simulation\//,
};

/** The cheapest level that has a test file. */
export function levelOf(file: string): Level {
  return levels.find((level) => level === "cluster" || filesOfLevel[level].test(file)) ?? "cluster";
}

/** What tests import that start Muster as processes, which load every file. */
const startsProcesses = "test/support/harness/program.ts";

/** Imports that remain when types are removed. */
const imported = /^(?:import|export) (?!type )(?:[^;"]*? from )?"([#.][^"]+)"|\bimport\("([#.][^"]+)"\)/gm;

/** Which test files may find a bug in a file, and in which order they are tried. */
export class TestOrder {
  readonly #root: string;
  /** By file, the files that import it. */
  readonly #importers = new Map<string, string[]>();

  constructor(root: string) {
    this.#root = root;
    for (const file of globSync("{src,scripts,test,demo}/**/*.ts", { cwd: root }))
      for (const other of this.#importsOf(file)) {
        const importers = this.#importers.get(other) ?? [];
        importers.push(file);
        this.#importers.set(other, importers);
      }
  }

  /**
   * The test files of a level that load `file`, those first that are the fewest imports away from it, and in the end those
   * that load it in a process.
   */
  filesFor(file: string, level: OrderedLevel): readonly string[] {
    const found = [...this.#testsOf(file), ...this.#testsOf(startsProcesses)];
    return [...new Set(found)].filter((test) => filesOfLevel[level].test(test));
  }

  /** The test files that import the file, directly or not, by distance. */
  #testsOf(file: string): readonly string[] {
    const seen = new Set([file]);
    // A set is visited in the order in which it grows.
    for (const one of seen) for (const importer of this.#importers.get(one) ?? []) seen.add(importer);
    return [...seen].filter((one) => one.endsWith(".test.ts"));
  }

  #importsOf(file: string): readonly string[] {
    const text = readFileSync(join(this.#root, file), "utf8");
    return [...text.matchAll(imported)].map(([, name = "", loaded = name]) =>
      loaded.startsWith("#") ? loaded.slice(1) : posix.join(posix.dirname(file), loaded),
    );
  }
}
