import { isDeepStrictEqual } from "node:util";
import type { Kind } from "#src/kinds/kind.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { decide } from "#src/reconcile/policy/decide.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import type { RecordedDecision } from "./recorded-decision.ts";

/** Gives an observation that was recorded in an earlier shape the present one. */
export type Convert = (observed: never) => Observed;

/** Decisions that differ in the same way. */
export interface Difference {
  /** The steps before and now, with what they say of the object. */
  readonly change: string;
  count: number;
  /** The first of them. */
  readonly example: RecordedDecision & { readonly now: Step | { readonly threw: string } };
}

/** Compares recorded decisions with those that the present policy makes from the same observations. */
export class Comparison {
  compared = 0;
  /** Decisions about kinds that only a test has. */
  skipped = 0;
  readonly #kinds: readonly Kind[];
  readonly #convert: Convert | undefined;
  readonly #differences = new Map<string, Difference>();

  constructor(kinds: readonly Kind[], convert?: Convert) {
    this.#kinds = kinds;
    this.#convert = convert;
  }

  compare(decision: RecordedDecision): void {
    const kind = this.#kinds.find(({ name }) => name === decision.kind);
    if (kind === undefined) {
      this.skipped += 1;
      return;
    }
    this.compared += 1;
    const now = this.#decide(decision, kind);
    if (isDeepStrictEqual(comparable(now), comparable(decision.step))) return;
    const change = `${kind.name}: ${summaryOf(decision.step)} → ${"threw" in now ? now.threw : summaryOf(now)}`;
    const known = this.#differences.get(change);
    if (known === undefined) this.#differences.set(change, { change, count: 1, example: { ...decision, now } });
    else known.count += 1;
  }

  /** The most frequent first. */
  differences(): readonly Difference[] {
    return [...this.#differences.values()].toSorted((a, b) => b.count - a.count);
  }

  #decide({ observed }: RecordedDecision, kind: Kind): Step | { readonly threw: string } {
    try {
      return decide(this.#convert === undefined ? (observed as Observed) : this.#convert(observed as never), kind).step;
    } catch (error) {
      return { threw: (error as Error).message };
    }
  }
}

/** As JSON, since a recorded step has no property that is undefined; and without the name of the check, which changes nothing. */
function comparable(step: object): unknown {
  const copy = JSON.parse(JSON.stringify(step)) as { patch?: { decidedBy?: unknown } };
  if (copy.patch !== undefined) delete copy.patch.decidedBy;
  return copy;
}

/** The step, and the reason that it writes into the status. */
function summaryOf(step: { readonly do: string; readonly patch?: unknown }): string {
  if (step.patch === undefined) return step.do;
  const { conditions = [] } = step.patch as { conditions?: readonly { type: string; reason: string }[] };
  return [step.do, ...conditions.flatMap(({ type, reason }) => (type === "Ready" ? [reason] : []))].join(" ");
}
