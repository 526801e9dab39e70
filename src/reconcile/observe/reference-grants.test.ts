import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, otherRoot, parent } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { elsewhere, group, groupBelow, recorded, resolverAmong } from "./references-world.testing.ts";

const allows = (namespace: string, ...allowedNamespaces: readonly string[]) => ({
  metadata: { namespace },
  spec: { parentUid: otherRoot, allowedNamespaces },
  status: recorded(elsewhere),
});
const resolve = resolverAmong([
  group("in-sibling", { metadata: { namespace: "sibling" }, status: recorded(parent) }),
  group("private", { metadata: { namespace: "others" }, status: recorded(parent) }),
  group("granted", allows("others", "team")),
  group("granted-to-sibling", allows("others", "sibling", "team-b")),
  group("granted-what-it-lost", {
    metadata: { namespace: "others" },
    spec: { allowedNamespaces: ["team"] },
    status: recorded(parent),
  }),
  group("granted-by-nobody", allows("ungoverned", "team")),
]);
const notGranted = { are: "waiting", reason: "ReferenceNotGranted" };

it.each<[string, Resource, object]>([
  ["of the same Tenant needs no grant", groupBelow("in-sibling", "sibling"), { are: "resolved", granted: [] }],
  [
    "of the same Tenant may name what does not exist",
    groupBelow("none", "sibling"),
    { are: "waiting", reason: "ReferenceNotFound" },
  ],
  ["of another Tenant needs a grant", groupBelow("private", "others"), notGranted],
  [
    "of another Tenant with a grant permits a uid outside of the groups",
    groupBelow("granted", "others"),
    { are: "resolved", uids: { parent: elsewhere }, granted: [elsewhere] },
  ],
  ["of another Tenant with a grant for other namespaces waits", groupBelow("granted-to-sibling", "others"), notGranted],
  ["that grants what its Tenant may not use waits", groupBelow("granted-what-it-lost", "others"), notGranted],
  ["without a Tenant waits, with a grant, too", groupBelow("granted-by-nobody", "ungoverned"), notGranted],
  ["does not make the uid itself usable", groupResource({ spec: { parentUid: elsewhere } }), { are: "denied" }],
])("a reference to another namespace %s", (_, resource, references) => {
  expect(resolve(resource)).toMatchObject(references);
});

it("does not disclose whether an object exists in another namespace", () => {
  const there = resolve(groupBelow("private", "others"));
  const notThere = resolve(groupBelow("private", "others"), { find: () => undefined });
  expect(there).toEqual(notThere);
  expect(there).toMatchObject(notGranted);
});
