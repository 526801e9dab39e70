import { expect, it } from "vitest";
import { calls, check, evaluate, part, type Phase, reports, where } from "./check.ts";
import type { DecisionInput } from "./decision-input.ts";
import { existing } from "./existing.ts";
import { ending } from "./ending.ts";
import { decisionInput, root } from "./observed-fixture.testing.ts";
import { stalled } from "./outcome.ts";

const input = decisionInput();
const nothing = check("nothing", "Nothing.", () => undefined);
const waits = check("waits", "A wait.", () => ({ do: "wait", until: 1 }));
const finishes = check("finishes", "The end.", () => ({ do: "done" }));

it("decides by the first check that finds something", () => {
  expect(evaluate([nothing, waits, finishes], input)).toEqual({ step: { do: "wait", until: 1 }, check: "waits" });
  expect(evaluate([nothing], input)).toBeUndefined();
});

it("asks the checks of a part with what its condition found, and goes on after it if they find nothing", () => {
  interface Named extends DecisionInput {
    readonly names: readonly string[];
  }
  const asked: string[] = [];
  const names = check<Named>("names", "Names.", (observed) => {
    asked.push(...observed.names);
    return undefined;
  });
  const phase: Phase = [
    part("it has none", () => undefined, [finishes]),
    part("it has names", (observed) => ({ ...observed, names: ["a", "b"] }), [names]),
    where("it is not so", () => false, [finishes]),
    where("it is so", () => true, [waits]),
  ];
  expect(evaluate(phase, input)).toMatchObject({ check: "waits" });
  expect(asked).toEqual(["a", "b"]);
});

it("turns what a check reports into a status, and a call that failed a moment ago into a report", () => {
  const invalid = reports("invalid", "An invalid spec.", () => stalled("InvalidSpec", "it is wrong"));
  expect(evaluate([invalid], input)).toMatchObject({ check: "invalid", step: { do: "writeStatus" } });
  const read = calls("unread", "No read.", () => ({ do: "read", uid: root }));
  expect(evaluate([read], input)).toEqual({ check: "unread", step: { do: "read", uid: root } });
});

it("has names in camel case and a sentence for every check, and a condition for every part", () => {
  const checked: string[] = [];
  const look = (phase: Phase<never>): void => {
    for (const entry of phase)
      if ("phase" in entry) {
        expect(entry.when).toMatch(/^[a-z`].*[^.]$/);
        look(entry.phase);
      } else {
        expect(entry.name).toMatch(/^[a-z][A-Za-z]+$/);
        expect(entry.finds).toMatch(/^[A-Z`].*\.$/);
        checked.push(entry.name);
      }
  };
  look(existing);
  look(ending);
  expect(checked.length).toBeGreaterThan(100);
});
