import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type TestModule, type TestSpecification, type Vitest } from "vitest/node";
import { lateAttempt, noteAttempt } from "./attempt.ts";
import { type Found, switchName } from "./mutant-runner.ts";
import { type Mutant, withSwitches } from "./mutations.ts";

/** A level of tests, and how long one of them may take. */
export interface Level {
  readonly name: string;
  readonly include: readonly string[];
  readonly testTimeout: number;
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** How often a look shows whether a mutant takes too long. */
const lookMs = 1_000;

/** Which of the mutants the tests of a level find. All mutants are in the code, and a switch turns on one at a time. */
export async function tryTests(
  mutants: readonly Mutant[],
  level: Level,
  progress: (line: string) => void,
): Promise<ReadonlyMap<number, Found>> {
  const folder = mkdtempSync(join(tmpdir(), "muster-mutants-"));
  const attemptFile = join(folder, "attempt");
  noteAttempt(attemptFile, null);
  const found = new Map<number, Found>();
  const note = (one: Found, file: string) => {
    if (!found.has(one.number)) progress(`${file} finds ${one.number}`);
    found.set(one.number, one);
  };
  const vitest = await startTests(mutants, level, attemptFile, (module) => {
    for (const one of module.meta().mutants?.found ?? []) note(one, module.relativeModuleId);
  });
  /** Runs all tests. @returns the mutant that did not end, and with it the tests; undefined if all ended */
  const run = async (specifications: readonly TestSpecification[]) => {
    // The failures of earlier runs would count for `bail`.
    vitest.state.idMap.clear();
    let killed: number | undefined;
    const look = setInterval(() => {
      const late = lateAttempt(attemptFile);
      if (late === undefined || killed === late.number) return;
      killed = late.number;
      process.kill(late.pid, "SIGKILL");
    }, lookMs);
    const { testModules } = await vitest.runTestSpecifications([...specifications]).finally(() => clearInterval(look));
    noteAttempt(attemptFile, null);
    if (killed !== undefined) note({ number: killed, test: "none", error: "It does not end." }, "A deadline");
    return { testModules, killed };
  };
  try {
    await vitest.standalone();
    const specifications = await vitest.globTestSpecifications();
    const startedAt = performance.now();
    let first = await run(specifications);
    while (first.killed !== undefined) {
      vitest.provide("settledMutants", [...found.keys()]);
      first = await run(specifications);
    }
    const findings = first.testModules.flatMap((module) => module.meta().mutants ?? []);
    const failing = new Set(findings.flatMap((one) => one.failing));
    for (const test of failing) progress(`It fails without a mutant, so that it judges none: ${test}`);
    const loaded = new Set(findings.flatMap((one) => one.loaded).filter((number) => !found.has(number)));
    vitest.provide("activeLimitMs", 2 * (performance.now() - startedAt) + level.testTimeout);
    for (const number of loaded) {
      progress(`Mutant ${number} is evaluated when its module is loaded: all tests run again.`);
      vitest.provide("activeMutant", number);
      const { testModules } = await run(specifications);
      const failed = testModules.flatMap((module) => failuresOf(number, module)).find(({ test }) => !failing.has(test));
      if (failed !== undefined) note(failed, "A test");
    }
    return found;
  } finally {
    await vitest.close();
    rmSync(folder, { recursive: true });
  }
}

/** @param ended is called after each file of tests */
function startTests(
  mutants: readonly Mutant[],
  level: Level,
  attemptFile: string,
  ended: (module: TestModule) => void,
): Promise<Vitest> {
  const mutantsOf = (path: string) => mutants.filter(({ file }) => resolve(root, file) === path);
  return createVitest(
    "test",
    {
      config: false,
      root,
      watch: false,
      // The files share what the others have found.
      isolate: false,
      maxWorkers: 1,
      bail: 1,
      include: [...level.include],
      testTimeout: level.testTimeout,
      hookTimeout: level.testTimeout,
      runner: fileURLToPath(new URL("mutant-runner.ts", import.meta.url)),
      provide: { activeMutant: null, activeLimitMs: 0, settledMutants: [], attemptFile },
      reporters: [{ onTestModuleEnd: ended }],
    },
    {
      plugins: [
        {
          name: "mutants",
          enforce: "pre",
          configureVitest({ defineCacheKeyGenerator }) {
            // Vitest keeps what was transformed. No other run may get a mutated file.
            defineCacheKeyGenerator(({ id }) => (mutantsOf(id).length === 0 ? undefined : false));
          },
          transform(code, id) {
            const own = mutantsOf(id);
            return own.length === 0 ? undefined : { code: withSwitches(code, own, switchName), map: null };
          },
        },
      ],
    },
  );
}

function failuresOf(number: number, module: TestModule): Found[] {
  const loading = module.errors().map(({ message }) => ({ number, test: module.relativeModuleId, error: message }));
  const tests = [...module.children.allTests("failed")];
  return [
    ...loading,
    ...tests.map((test) => ({ number, test: test.fullName, error: test.result().errors?.[0]?.message ?? "" })),
  ];
}
