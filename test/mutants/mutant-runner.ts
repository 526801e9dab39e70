import { inject, type RunnerTestCase, type RunnerTestSuite, TestRunner } from "vitest";
import { noteAttempt } from "./attempt.ts";

/** What a file of tests shows about the mutants; it is in the file's `meta`. */
export interface Findings {
  /** The mutants that the tests find, with the first that did. */
  readonly found: readonly Found[];
  /** The mutants that are evaluated when the modules are loaded, before any test. */
  readonly loaded: readonly number[];
  /** The full names of tests that fail without a mutant. */
  readonly failing: readonly string[];
}

/** A mutant that fails a test. */
export interface Found {
  readonly number: number;
  readonly test: string;
  readonly error: string;
}

declare module "vitest" {
  interface TaskMeta {
    mutants?: Findings;
  }
  interface ProvidedContext {
    /** The mutant that is active from the beginning; null if each test tries the mutants that it reaches. */
    activeMutant: number | null;
    /** How long all tests may take with it, in milliseconds. */
    activeLimitMs: number;
    /** The mutants that need no trial any longer. */
    settledMutants: readonly number[];
    /** The file for what the process is busy with; see `attempt.ts`. */
    attemptFile: string;
  }
}

/** What all files of tests share, since they share the modules. */
interface Shared {
  active: number | null;
  /** A loop that the active mutant makes endless, and that evaluates any mutated expression, ends then. */
  deadline: number;
  /** The mutants that the running test reaches; null outside of tests. */
  reached: Set<number> | null;
  readonly loaded: Set<number>;
  readonly found: Map<number, Found>;
}

/** The name of the global function that the mutated modules ask whether a mutant is active. */
export const switchName = "isActiveMutant";

/** How long after its deadline a mutant that still runs is killed with the process: it evaluates no mutated expression. */
const graceMs = 10_000;

// Tests replace the clock.
const now = performance.now.bind(performance);
const wallClock = Date.now.bind(Date);
const shared = globalThis as { mutants?: Shared; [switchName]?: (number: number) => boolean };

/**
 * Runs each test once without a mutant, noting the mutants that it reaches, then again with each of them that no test has
 * found yet. All hooks run each time.
 */
export default class MutantRunner extends TestRunner {
  readonly #state: Shared;
  readonly #always = inject("activeMutant");
  readonly #settled = new Set(inject("settledMutants"));
  #failing: string[] = [];
  #waiting: number[] = [];
  #startedAt = 0;
  /** How long the running test may take with a mutant: much longer than without one. */
  #limitMs = Infinity;

  constructor(config: ConstructorParameters<typeof TestRunner>[0]) {
    super(config);
    const fresh = { active: null, deadline: Infinity, reached: null, loaded: new Set<number>(), found: new Map() };
    const state: Shared = (shared.mutants ??= fresh);
    state.active = this.#always;
    state.deadline = Infinity;
    this.#state = state;
    if (this.#always !== null) this.#note(this.#always, inject("activeLimitMs"));
    let calls = 0;
    shared[switchName] = (number) => {
      if (state.active === null) {
        if (!this.#settled.has(number)) (state.reached ?? state.loaded).add(number);
        return false;
      }
      calls += 1;
      if (calls % 1_000 === 0 && now() > state.deadline) throw new Error("The mutant does not end.");
      return number === state.active;
    };
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    // It is skipped when no mutant is left.
    if (this.#always === null) test.repeats = Number.MAX_SAFE_INTEGER;
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    super.onBeforeTryTask(test, options);
    if (this.#always !== null) return;
    const state = this.#state;
    if (options.repeats === 0) {
      this.#startedAt = now();
      state.reached = new Set();
      return;
    }
    const next = this.#waiting.find((number) => !state.found.has(number));
    if (next === undefined) return test.context.skip();
    this.#waiting = this.#waiting.slice(this.#waiting.indexOf(next) + 1);
    state.active = next;
    state.deadline = now() + this.#limitMs;
    this.#note(next, this.#limitMs + graceMs);
  }

  override async onAfterRetryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): Promise<void> {
    await super.onAfterRetryTask(test, options);
    if (this.#always !== null) return;
    const state = this.#state;
    const { active } = state;
    if (active !== null) noteAttempt(inject("attemptFile"), null);
    const error = test.result?.errors?.[0]?.message;
    const failed = test.result?.state === "fail";
    if (options.repeats === 0) {
      if (failed) this.#failing.push(test.fullTestName);
      this.#waiting = failed ? [] : [...(state.reached ?? [])];
      this.#limitMs = 30_000 + 10 * (now() - this.#startedAt);
    } else if (failed && active !== null) {
      state.found.set(active, { number: active, test: `${test.file.name} > ${test.fullTestName}`, error: error ?? "" });
    }
    state.active = null;
    state.reached = null;
    if (test.result !== undefined) delete test.result.errors;
  }

  #note(number: number, limitMs: number): void {
    noteAttempt(inject("attemptFile"), { number, pid: process.pid, until: Math.ceil(wallClock() + limitMs) });
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite);
    const { found, loaded } = this.#state;
    if (!("filepath" in suite)) return;
    suite.meta.mutants = { found: [...found.values()], loaded: [...loaded], failing: this.#failing };
    this.#failing = [];
  }
}
