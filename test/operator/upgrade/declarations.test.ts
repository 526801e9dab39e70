import { expect, it } from "vitest";
import { allMusterKinds } from "#test/support/harness/muster-objects.ts";
import { declareSet, setSize } from "./declarations.ts";
import { keyOf } from "./object-watch.ts";

const sets = [0, 1, 2, 3].map((number) =>
  declareSet({ namespace: "red", group: "g".repeat(40), prefix: `set-${number}`, number }),
);

it("a set has objects of every kind, with different names", () => {
  for (const members of sets) {
    expect(members).toHaveLength(setSize);
    expect(new Set(members.map(({ object }) => keyOf(object))).size).toBe(setSize);
    expect(new Set(members.map(({ object }) => object.kind))).toEqual(new Set(allMusterKinds));
  }
});

it("the sets together have objects in every state", () => {
  const states = new Set(sets.flat().map(({ expected }) => expected));
  expect(states).toEqual(new Set(["Available", "Paused", "TenantDenied", "Conflict", "Expired", "ReferenceNotFound"]));
  const policies = sets.flat().flatMap(({ object }) => Object.values<string>(object["spec"].policy ?? {}));
  expect(new Set(policies)).toEqual(new Set(["IfExists", "Observe", "Orphan", "Report"]));
});
