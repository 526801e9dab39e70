import type { Reporter, TestModule } from "vitest/node";

/**
 * Prints `N passed, N failed, N skipped` as the last line of a run, for a CI to read. A file that fails to load counts
 * as failed.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) for (const test of module.children.allTests()) count[test.result().state] += 1;
    const failed =
      count.failed + modules.filter((module) => module.state() === "failed" && module.errors().length > 0).length;
    process.stdout.write(`${count.passed} passed, ${failed} failed, ${count.skipped + count.pending} skipped\n`);
  }
}
