import { expect, it } from "vitest";
import { SharedRoles } from "./shared-roles.ts";

const role = (capabilities: readonly string[], name = "viewer") => ({
  uid: "c".repeat(40),
  name,
  capabilities: [...capabilities],
});

it("returns the same object for equal roles, so that each is in memory once", () => {
  const shared = new SharedRoles();
  const first = shared.share(role(["LIST"]));
  expect(shared.share(role(["LIST"]))).toBe(first);
  expect(shared.capabilitiesOf(first)).toBe(shared.capabilitiesOf(shared.share(role(["LIST"]))));
});

it.each([
  ["capabilities", role(["LIST", "CREATE"])],
  ["name", role(["LIST"], "reader")],
])("returns a role with another %s as it is", (_, changed) => {
  const shared = new SharedRoles();
  shared.share(role(["LIST"]));
  expect(shared.share(changed)).toBe(changed);
  expect(shared.capabilitiesOf(changed)).toEqual(new Set(changed.capabilities));
  expect(shared.share(structuredClone(changed))).toBe(changed);
});
