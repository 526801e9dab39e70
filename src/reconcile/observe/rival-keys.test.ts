import { expect, it } from "vitest";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { bindingResource, parent, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type CachedResource, parseResource, type ResourceStore, resourceIndexes } from "./cached-resource.ts";
import { rivalKeys, rivalsOf } from "./claims.ts";

const viewer = { uid: "c".repeat(40), name: "viewer", capabilities: [] };
/** A role of a group that somebody named like a built-in one. */
const namesake = { uid: `${root}/5555555555555555`, name: "viewer", capabilities: [] };
const roles: RoleCatalog = {
  byName: new Map([[viewer.name, viewer]]),
  byUid: new Map([viewer, namesake].map((role) => [role.uid, role])),
};

const spec = { groupUid: parent, identityUid: `${parent}/4444444444444444` };
const parsed = (more: object) =>
  parseResource(roleBindingKind, { ...bindingResource(), spec: { ...spec, ...more } } as never);
const wanted = (more: object) => resourceIndexes(roleBindingKind).wants(parsed(more));

it("a binding of a role of a group is no rival of one of the built-in role with that name", () => {
  const storeOf = () => ({ index: () => [] }) as unknown as ResourceStore;
  const keys = rivalKeys(roleBindingKind, parsed({ roleUid: namesake.uid }), {}, { storeOf, roles });
  expect(keys).toEqual(expect.arrayContaining([...wanted({ roleUid: namesake.uid })]));
  expect(keys).not.toEqual(expect.arrayContaining([...wanted({ roleRef: { name: "viewer" } })]));
  const ofBuiltIn = rivalKeys(roleBindingKind, parsed({ roleUid: viewer.uid }), {}, { storeOf, roles });
  expect(ofBuiltIn).toEqual(expect.arrayContaining([...wanted({ roleRef: { name: "viewer" } })]));
});

it("an invalid object has no rivals: what it wants is not known", () => {
  const storeOf = () => ({ index: () => [] }) as unknown as ResourceStore;
  const invalid = { ...parsed({ roleUid: viewer.uid }), invalid: "spec: no" };
  expect(rivalKeys(roleBindingKind, invalid, {}, { storeOf, roles })).toEqual([]);
});

it("an object is no rival of itself", () => {
  const [self, other] = [parsed({ roleUid: viewer.uid }), parsed({ roleUid: viewer.uid })];
  const storeOf = () => ({ index: (): CachedResource[] => [self, other] }) as unknown as ResourceStore;
  expect([...rivalsOf(roleBindingKind, self, {}, { storeOf, roles })]).toEqual([other]);
});
