import { expect, it } from "vitest";
import { decide } from "./decide.ts";
import { kindOf, observed, type ObservedParts, groupResource, ready } from "./observed-fixture.testing.ts";

const decided = (parts: ObservedParts) => {
  const observation = observed(parts);
  return decide(observation, kindOf(observation));
};
const paused = { metadata: { annotations: { "iam.muster.dev/paused": "true" } } };

it("says in the status which check decided, as often as the status is written", () => {
  const { check, step } = decided({ resource: groupResource({ ...paused, status: ready }) });
  expect(check).toBe("paused");
  expect(step).toMatchObject({ do: "writeStatus", patch: { decidedBy: "paused" } });
});

it("writes no status for that alone", () => {
  const { step } = decided({ resource: groupResource({ ...paused, status: ready }) });
  if (step.do !== "writeStatus") throw new Error(step.do);
  const { decidedBy: _, ...said } = step.patch;
  const status = Object.fromEntries(Object.entries({ ...ready, ...said }).filter(([, value]) => value !== null));
  expect(decided({ resource: groupResource({ ...paused, status: status as typeof ready }) }).step).toEqual({
    do: "done",
  });
});
