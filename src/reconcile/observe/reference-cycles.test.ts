import { expect, it } from "vitest";
import type { Governance } from "#src/reconcile/tenancy/tenancy.ts";
import { governanceOf, group, groupBelow, resolverAmong } from "./references-world.testing.ts";

const self = group("self", { spec: { parentRef: { name: "self" } } });
const first = group("first", { spec: { parentRef: { name: "second" } } });
const second = group("second", { spec: { parentRef: { name: "third", namespace: "sibling" } } });
const third = group("third", {
  metadata: { namespace: "sibling" },
  spec: { parentRef: { name: "first", namespace: "team" } },
});
const resolve = resolverAmong([self, first, second, third]);

it("names the object that is its own parent", () => {
  expect(resolve(self)).toEqual({
    are: "invalid",
    message:
      "spec.parentRef: Group self is its own parent. Delete it, and create it with another parent: the field is immutable.",
  });
});

it("names all objects of a cycle, in every one of them", () => {
  expect(resolve(first)).toEqual({
    are: "invalid",
    message:
      "spec.parentRef: Group first is its own ancestor: first, whose parent is second, whose parent is sibling/third, whose parent is first. Delete one of these objects, and create it with another parent: the field is immutable.",
  });
  expect(resolve(second)).toMatchObject({ are: "invalid" });
});

it("discloses no object of another Tenant", () => {
  const onlyTeam = (namespace: string): Governance => (namespace === "team" ? governanceOf("team") : { by: "none" });
  const references = resolve(first, { governanceOf: onlyTeam });
  expect(references).toMatchObject({ are: "invalid" });
  expect(JSON.stringify(references)).not.toContain("third");
  expect(JSON.stringify(references)).toContain("an object of another Tenant");
});

it("leaves a cycle further up to its own members", () => {
  expect(resolve(groupBelow("self"))).toMatchObject({ are: "waiting", reason: "ReferenceNotReady" });
});
