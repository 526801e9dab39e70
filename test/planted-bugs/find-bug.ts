import { type Level, levels, type PlantedBug } from "./planted-bug.ts";
import type { FailedTest, TestRuns } from "./run-tests.ts";
import type { ScratchTree } from "./scratch-tree.ts";
import { levelOf, type TestOrder } from "./test-order.ts";

/** The most files of one run: after it, the search can end. */
const filesTogether = 12;

export interface Found extends FailedTest {
  readonly level: Level;
}

/** Looks for the tests that find planted bugs. */
export class BugSearch {
  readonly #tree: ScratchTree;
  readonly #order: TestOrder;
  readonly #runs: TestRuns;
  /** Whether a file passes without a bug, by level and file: a test that fails then, too, says nothing. */
  readonly #passes = new Map<string, boolean>();

  constructor(tree: ScratchTree, order: TestOrder, runs: TestRuns) {
    this.#tree = tree;
    this.#order = order;
    this.#runs = runs;
  }

  /**
   * The cheapest test that finds a bug. In each level, the file that found the bug last is tried first, then those near to the
   * file that has it, then the others that load it. Of the level `cluster`, whose files take minutes each, only the file that found
   * the bug last is tried.
   * @param upTo the dearest level that is tried
   * @returns undefined if all tests pass with the bug
   */
  async find(bug: PlantedBug, upTo: Level): Promise<Found | undefined> {
    for (const level of levels.slice(0, levels.indexOf(upTo) + 1))
      for (const files of this.#groupsOf(bug, level)) {
        const failed = await this.#findIn(files, bug, level);
        if (failed !== undefined) return { level, ...failed };
      }
    return undefined;
  }

  /**
   * The test that finds a bug in the file that found it last.
   * @param upTo the dearest level that is tried
   * @returns undefined if that file is of a dearer level, or passes with the bug
   */
  async findAsBefore(bug: PlantedBug, upTo: Level): Promise<Found | undefined> {
    const level = levelOf(bug.foundBy);
    if (levels.indexOf(level) > levels.indexOf(upTo)) return undefined;
    const failed = await this.#findIn([bug.foundBy], bug, level);
    return failed && { level, ...failed };
  }

  async #findIn(files: readonly string[], bug: PlantedBug, level: Level): Promise<FailedTest | undefined> {
    const run = (some: readonly string[]) => this.#runs.firstFailure(level, some, bug.file);
    // No files would mean all of them to Vitest.
    for (let rest = files; rest.length > 0; ) {
      const failed = await this.#tree.with(bug, () => run(rest));
      if (failed === undefined) return undefined;
      const key = `${level} ${failed.file}`;
      const passes = this.#passes.get(key) ?? (await run([failed.file])) === undefined;
      this.#passes.set(key, passes);
      // On a busy machine, a file fails once for another reason: one that was not known to find the bug must fail again.
      const isCertain =
        failed.file === bug.foundBy || (await this.#tree.with(bug, () => run([failed.file]))) !== undefined;
      if (passes && isCertain) return failed;
      rest = rest.filter((file) => file !== failed.file);
    }
    return undefined;
  }

  /** The files of a level in the order in which they are tried, each group in one run. */
  #groupsOf({ file, foundBy }: PlantedBug, level: Level): readonly (readonly string[])[] {
    const last = levelOf(foundBy) === level ? [foundBy] : [];
    if (level === "cluster") return [last];
    const others = this.#order.filesFor(file, level).filter((one) => !last.includes(one));
    const count = Math.ceil(others.length / filesTogether);
    const groups = Array.from({ length: count }, (_, index) =>
      others.slice(index * filesTogether, (index + 1) * filesTogether),
    );
    return [last, ...groups];
  }
}
