import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type TestModule } from "vitest/node";
import { type Found, switchName } from "./mutant-runner.ts";
import { type Mutant, withSwitches } from "./mutations.ts";

/** A level of tests, and how long one of them may take. */
export interface Level {
  readonly name: string;
  readonly include: readonly string[];
  readonly testTimeout: number;
}

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Which of the mutants the tests of a level find. All mutants are in the code, and a switch turns on one at a time. */
export async function tryTests(
  mutants: readonly Mutant[],
  level: Level,
  progress: (line: string) => void,
): Promise<ReadonlyMap<number, Found>> {
  const mutantsOf = (path: string) => mutants.filter(({ file }) => resolve(root, file) === path);
  const reported = new Set<number>();
  const reportNew = (module: TestModule) => {
    const numbers = (module.meta().mutants?.found ?? [])
      .map(({ number }) => number)
      .filter((one) => !reported.has(one));
    for (const number of numbers) reported.add(number);
    if (numbers.length > 0) progress(`${module.relativeModuleId} finds ${numbers.join(", ")}`);
  };
  const vitest = await createVitest(
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
      provide: { activeMutant: null },
      reporters: [{ onTestModuleEnd: (module) => reportNew(module) }],
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
  try {
    await vitest.standalone();
    const specifications = await vitest.globTestSpecifications();
    const { testModules } = await vitest.runTestSpecifications(specifications);
    const findings = testModules.flatMap((module) => module.meta().mutants ?? []);
    const failing = new Set(findings.flatMap((one) => one.failing));
    for (const test of failing) progress(`It fails without a mutant, so that it judges none: ${test}`);
    const found = new Map(findings.flatMap((one) => one.found).map((one) => [one.number, one]));
    const loaded = new Set(findings.flatMap((one) => one.loaded).filter((number) => !found.has(number)));
    for (const number of loaded) {
      progress(`Mutant ${number} is evaluated when its module is loaded: all tests run again.`);
      vitest.provide("activeMutant", number);
      const run = await vitest.runTestSpecifications(specifications);
      const [first] = run.testModules.flatMap((module) => failuresOf(number, module));
      if (first !== undefined && !failing.has(first.test)) found.set(number, first);
    }
    return found;
  } finally {
    await vitest.close();
  }
}

function failuresOf(number: number, module: TestModule): Found[] {
  const loading = module.errors().map(({ message }) => ({ number, test: module.relativeModuleId, error: message }));
  const tests = [...module.children.allTests("failed")];
  return [
    ...loading,
    ...tests.map((test) => ({ number, test: test.fullName, error: test.result().errors?.[0]?.message ?? "" })),
  ];
}
