import { isDeepStrictEqual } from "node:util";
import type { Check, Part } from "#src/reconcile/policy/check.ts";
import type { Step } from "#src/reconcile/policy/step.ts";

type Entry = Check<never> | Part<never>;

/** What recorded decisions show of a check. */
export interface Asked {
  /** Where it is: the conditions of the parts around it, and its name. */
  readonly at: string;
  /** How many decisions come from it. */
  decided: number;
  /**
   * How many of these would be another step if the entry that follows in the phase came first. If there is none, no decision depends
   * on the order of the two.
   */
  beforeNext: number;
}

/**
 * Counts what the checks of phases decide, from now on, in this process: each check in them is changed so that it counts.
 * @returns an entry for each check, filled while decisions are made
 */
export function countChecks(phases: Readonly<Record<string, readonly Entry[]>>): readonly Asked[] {
  const counted = new Map<Entry, Asked>();
  for (const [name, phase] of Object.entries(phases)) countIn(phase, name, counted);
  return [...counted.values()];
}

/** Whether a check is asked what it would decide if it came first, which is not counted. */
let asksNext = false;

function countIn(phase: readonly Entry[], at: string, counted: Map<Entry, Asked>): void {
  const originals = phase.map((entry) => entry.decide as (input: never) => unknown);
  phase.forEach((entry, index) => {
    if ("phase" in entry) countIn(entry.phase, `${at} › if ${entry.when}`, counted);
    else if (!counted.has(entry)) {
      const asked: Asked = { at: `${at} › ${entry.name}`, decided: 0, beforeNext: 0 };
      counted.set(entry, asked);
      const decide = entry.decide;
      const next = originals[index + 1];
      Object.assign(entry, {
        decide: (input: never) => {
          const step = decide(input);
          if (step === undefined || asksNext) return step;
          asked.decided += 1;
          if (next !== undefined && !isSameWithout(step, () => next(input))) asked.beforeNext += 1;
          return step;
        },
      });
    }
  });
}

/** Whether the next entry would decide nothing or the same. One that fails relies on what comes before it. */
function isSameWithout(step: Step, next: () => unknown): boolean {
  asksNext = true;
  try {
    const other = stepOf(next());
    return other === undefined || isDeepStrictEqual(other, step);
  } catch {
    return false;
  } finally {
    asksNext = false;
  }
}

/** A part decides with the name of its check. */
function stepOf(decided: unknown): Step | undefined {
  if (typeof decided !== "object" || decided === null) return undefined;
  return "check" in decided && "step" in decided ? (decided.step as Step) : (decided as Step);
}
