import { expect, it } from "vitest";
import { check, evaluate, part, type Phase } from "#src/reconcile/policy/check.ts";
import type { DecisionInput } from "#src/reconcile/policy/decision-input.ts";
import { decisionInput, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { countChecks } from "./order.ts";

const isInvalid = ({ invalid }: DecisionInput) => invalid !== null;

it("counts what each check decides, and how often the one after it would decide otherwise", () => {
  const phase: Phase = [
    check("invalid", "An invalid spec.", (observed) => (isInvalid(observed) ? { do: "wait", until: 1 } : undefined)),
    part("it has no rival", (observed) => (observed.rival === null ? observed : undefined), [
      check("alone", "No rival.", () => ({ do: "read", uid: root })),
      check("never", "Nothing.", () => undefined),
    ]),
    check("done", "Nothing to do.", () => ({ do: "done" })),
  ];
  const counts = countChecks({ phase });
  evaluate(phase, decisionInput());
  evaluate(phase, decisionInput({ invalid: "wrong" }));
  evaluate(phase, decisionInput({ rival: "team/other" }));
  expect(counts).toEqual([
    { at: "phase › invalid", decided: 1, beforeNext: 1 },
    { at: "phase › if it has no rival › alone", decided: 1, beforeNext: 0 },
    { at: "phase › if it has no rival › never", decided: 0, beforeNext: 0 },
    { at: "phase › done", decided: 1, beforeNext: 0 },
  ]);
});

it("counts a check that fails without the one before it", () => {
  const phase: Phase = [
    check("first", "The first.", () => ({ do: "wait", until: 1 })),
    check("second", "The second.", () => {
      throw new Error("relies on the first");
    }),
  ];
  const counts = countChecks({ phase });
  evaluate(phase, decisionInput());
  evaluate(phase, decisionInput());
  expect(counts[0]).toEqual({ at: "phase › first", decided: 2, beforeNext: 2 });
});
