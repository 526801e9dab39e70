import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { decide } from "#src/reconcile/policy/decide.ts";
import { kindOf, observed, type ObservedParts } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { Comparison } from "./comparison.ts";
import type { RecordedDecision } from "./recorded-decision.ts";
import { withRecording } from "./recording-source.ts";

function recorded(parts: ObservedParts = {}): RecordedDecision {
  const observation = observed(parts);
  const step = decide(observation, kindOf(observation)).step;
  return JSON.parse(JSON.stringify({ kind: observation.resource.kind, observed: observation, step }));
}

it("finds no difference where the policy decides the same", () => {
  const comparison = new Comparison(kinds);
  comparison.compare(recorded());
  comparison.compare(recorded({ snapshot: null }));
  expect(comparison).toMatchObject({ compared: 2, skipped: 0 });
  expect(comparison.differences()).toEqual([]);
});

it("counts decisions that differ in the same way, with the first as an example", () => {
  const comparison = new Comparison(kinds);
  const changed = { ...recorded(), step: { do: "done" } };
  comparison.compare(changed);
  comparison.compare({ ...changed, observed: recorded({ invalid: "spec.name: too long" }).observed });
  comparison.compare(changed);
  expect(comparison.differences()).toMatchObject([
    { change: "Group: done → create", count: 2, example: { step: { do: "done" }, now: { do: "create" } } },
    { change: "Group: done → writeStatus InvalidSpec", count: 1 },
  ]);
});

it("converts observations of an earlier shape, and reports those that it cannot decide about", () => {
  const earlier = { ...recorded(), observed: { earlier: recorded().observed } };
  const converting = new Comparison(kinds, ({ earlier: now }: { earlier: Observed }) => now);
  converting.compare(earlier);
  expect(converting.differences()).toEqual([]);
  const without = new Comparison(kinds);
  without.compare(earlier);
  expect(without.differences()).toMatchObject([{ change: expect.stringContaining("create → "), count: 1 }]);
});

it("skips kinds that only a test has", () => {
  const comparison = new Comparison(kinds);
  comparison.compare({ ...recorded(), kind: "Widget" });
  expect(comparison).toMatchObject({ compared: 0, skipped: 1 });
});

it("refuses a source text without the function to record", () => {
  expect(() => withRecording("export const decide = 1;")).toThrow("export function decide(");
});
