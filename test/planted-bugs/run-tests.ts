import { join } from "node:path";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import { programVariable } from "#test/support/harness/program-variable.ts";
import { turnVariable } from "#test/support/turn/turn.ts";
import type { Level } from "./planted-bug.ts";

/** How many times the usual time limit a test may take. */
const patience = 4;

/** The first test that failed. `test` is undefined if the file could not be loaded. */
export interface FailedTest {
  readonly file: string;
  readonly test: string | undefined;
}

/** Runs test files of a tree again and again, in one process, which loads a file again when it has changed. */
export class TestRuns {
  readonly #root: string;
  readonly #vitest: Vitest;
  /** The file that changed before the last run, and may have been restored since. */
  #changed: string | undefined;

  private constructor(root: string, vitest: Vitest) {
    this.#root = root;
    this.#vitest = vitest;
  }

  /** @param faultPoints those that simulations run: all, or the part of an ordinary run */
  static async start(root: string, faultPoints: "all" | "some"): Promise<TestRuns> {
    if (faultPoints === "all") process.env[turnVariable] = "all";
    // A bundle would have the bug that was in the tree when it was built.
    process.env[programVariable] = join(root, "src/main.ts");
    const vitest = await createVitest("test", { root, watch: false, bail: 1, maxWorkers: 2, reporters: [{}] });
    await vitest.standalone();
    // A busy machine must not look like a bug.
    for (const { config } of vitest.projects) {
      config.testTimeout *= patience;
      config.hookTimeout *= patience;
    }
    return new TestRuns(root, vitest);
  }

  /**
   * Runs test files up to the first failure. @returns undefined if all passed
   * @param changed the file that may have changed since the last run
   */
  async firstFailure(level: Level, files: readonly string[], changed: string): Promise<FailedTest | undefined> {
    const { state, watcher } = this.#vitest;
    for (const file of new Set([this.#changed ?? changed, changed])) watcher.onFileChange(join(this.#root, file));
    this.#changed = changed;
    watcher.changedTests.clear();
    // The failures of earlier runs would count for `bail`.
    state.idMap.clear();
    const all = await this.#vitest.globTestSpecifications(files.map((file) => join(this.#root, file)));
    const specifications = all.filter(({ project }) => project.name === level);
    if (specifications.length === 0) return undefined;
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications(specifications);
    const ran = testModules.filter(({ moduleId }) => specifications.some((one) => one.moduleId === moduleId));
    const failed = ran.find((module) => module.state() === "failed");
    if (failed !== undefined) return { file: failed.relativeModuleId, test: firstFailedTest(failed) };
    const [file] = files;
    // What no test awaits fails the run, and names no file.
    return unhandledErrors.length === 0 || file === undefined ? undefined : { file, test: undefined };
  }

  close(): Promise<void> {
    return this.#vitest.close();
  }
}

function firstFailedTest(module: TestModule): string | undefined {
  const [test] = module.children.allTests("failed");
  return test?.fullName;
}
