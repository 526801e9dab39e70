import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Outcome } from "./outcome.ts";
import { attempt } from "./retry.ts";
import type { PlatformStep, Step } from "./step.ts";

/**
 * The policy consists of checks. A check is named after what it finds, and decides on the step for that; where it finds nothing, the
 * next one is asked. A phase is a list of checks, so that the order is data, and a decision knows which check it comes from.
 */
export interface Check<Input extends DecisionInput = DecisionInput> {
  /** In camel case: people meet it in logs, in traces and in `muster why`. */
  readonly name: string;
  /** What it finds, as a sentence. */
  readonly finds: string;
  readonly decide: (input: Input) => Step | undefined;
}

/** Checks that are asked only under a condition, and with what that showed. */
export interface Part<Input extends DecisionInput = DecisionInput> {
  /** The condition: completes "If …". */
  readonly when: string;
  readonly phase: Phase<never>;
  readonly decide: (input: Input) => Decision | undefined;
}

/** In the order in which they are asked. */
export type Phase<Input extends DecisionInput = DecisionInput> = readonly (Check<Input> | Part<Input>)[];

/** What was decided, and by which check. */
export interface Decision {
  readonly step: Step;
  readonly check: string;
}

/** The decision of the first check in the phase that finds something; undefined if none does. */
export function evaluate<Input extends DecisionInput>(phase: Phase<Input>, input: Input): Decision | undefined {
  for (const entry of phase) {
    if ("phase" in entry) {
      const decision = entry.decide(input);
      if (decision !== undefined) return decision;
    } else {
      const step = entry.decide(input);
      if (step !== undefined) return { step, check: entry.name };
    }
  }
  return undefined;
}

/** A part of a phase. @param enter what its checks are asked about; undefined if they are not asked */
export function part<Input extends DecisionInput, Inner extends DecisionInput>(
  when: string,
  enter: (input: Input) => Inner | undefined,
  phase: Phase<Inner>,
): Part<Input> {
  const decide = (input: Input): Decision | undefined => {
    const inner = enter(input);
    return inner === undefined ? undefined : evaluate(phase, inner);
  };
  return { when, phase, decide };
}

/** A part of a phase whose checks are asked about the same. */
export function where<Input extends DecisionInput>(
  when: string,
  condition: (input: Input) => boolean,
  phase: Phase<Input>,
): Part<Input> {
  return part(when, (input) => (condition(input) ? input : undefined), phase);
}

export function check<Input extends DecisionInput>(
  name: string,
  finds: string,
  decide: (input: Input) => Step | undefined,
): Check<Input> {
  return { name, finds, decide };
}

/** A check that finds what the object reports. */
export function reports<Input extends DecisionInput>(
  name: string,
  finds: string,
  find: (input: Input) => Outcome | undefined,
): Check<Input> {
  return check(name, finds, (input) => {
    const outcome = find(input);
    return outcome === undefined ? undefined : conclude(input, outcome);
  });
}

/** A check that finds a call to the platform which comes first. */
export function calls<Input extends DecisionInput>(
  name: string,
  finds: string,
  find: (input: Input) => PlatformStep | undefined,
): Check<Input> {
  return check(name, finds, (input) => {
    const step = find(input);
    return step === undefined ? undefined : attempt(input, step);
  });
}
