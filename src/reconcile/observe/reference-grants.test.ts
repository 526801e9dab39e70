import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, identityResource, otherRoot, parent } from "#src/reconcile/policy/observed-fixture.testing.ts";
import {
  binding,
  elsewhere,
  group,
  groupBelow,
  recorded,
  resolverAmong,
  terminating,
} from "./references-world.testing.ts";

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
])("a reference to another namespace %s", (_, resource, references) => {
  expect(resolve(resource)).toMatchObject(references);
});

describe("a uid outside of the Tenant's groups", () => {
  const uses = groupResource({ spec: { parentUid: elsewhere } });
  const among = (...objects: readonly Resource[]) => resolverAmong(objects)(uses);
  const shared = (reason?: string) =>
    group("shared", { ...allows("others", "team"), status: recorded(elsewhere, reason) });

  it.each<[string, readonly Resource[], object]>([
    ["may be used if an object of another Tenant grants it", [shared()], { are: "resolved", granted: [elsewhere] }],
    [
      "may be used if one of several objects grants it",
      [group("mute", allows("others")), shared()],
      { are: "resolved" },
    ],
    ["may not be used in other namespaces", [group("x", allows("others", "sibling"))], { are: "denied" }],
    ["may not be granted by its own Tenant", [group("x", allows("sibling", "team"))], { are: "denied" }],
    ["may not be granted without a Tenant", [group("x", allows("ungoverned", "team"))], { are: "denied" }],
    ["waits like a name for an object that is not Ready", [shared("HeldByBreaker")], { reason: "ReferenceNotReady" }],
    ["is not used while its object is in Conflict", [shared("Conflict")], { reason: "ReferenceNotReady" }],
    [
      "is not used while its object is being deleted",
      [{ ...shared(), metadata: { ...shared().metadata, ...terminating } }],
      { reason: "ReferenceNotReady", deleting: true },
    ],
    [
      "may not be granted by an object that has not recorded it",
      [group("x", { metadata: { namespace: "others" }, spec: { uid: elsewhere, allowedNamespaces: ["team"] } })],
      { are: "denied" },
    ],
  ])("%s", (_, objects, references) => {
    expect(among(...objects)).toMatchObject(references);
  });

  it("is denied in the same words whether it exists or not", () => {
    expect(among(group("private", allows("others")))).toEqual(among());
  });

  it("of an Identity may be granted, unless it is a credential", () => {
    const there = identityResource({
      metadata: { name: "ci", namespace: "others" },
      spec: { groupUid: otherRoot, allowedNamespaces: ["team"] },
      status: recorded(elsewhere),
    });
    const bind = resolverAmong([there]);
    expect(bind(binding({ identityUid: elsewhere }))).toMatchObject({ are: "resolved" });
    const isCredential = (uid: string) => uid === elsewhere;
    expect(bind(binding({ identityUid: elsewhere }), { isCredential })).toMatchObject({ are: "denied" });
  });
});

it("does not disclose whether an object exists in another namespace", () => {
  const there = resolve(groupBelow("private", "others"));
  const notThere = resolve(groupBelow("private", "others"), { find: () => undefined });
  expect(there).toEqual(notThere);
  expect(there).toMatchObject(notGranted);
});
