import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupResource, otherRoot, parent, root } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { foreignParentOf } from "./foreign-parent.ts";
import { kindNamed, world, type WorldParts } from "./observed-world.testing.ts";
import { elsewhere, group, groupBelow, recorded } from "./references-world.testing.ts";

const another = `${otherRoot}/5555555555555555`;
const shop = (namespace: string, uid?: string, spec: object = {}) =>
  group("shop", {
    metadata: { namespace, uid: `uid-of-shop-in-${namespace}` },
    spec: { parentUid: otherRoot, ...spec },
    ...(uid === undefined ? {} : { status: recorded(uid) }),
  });

function foreignParent(resource: Resource, parts: WorldParts = {}) {
  const { sources, contexts } = world(parts);
  return foreignParentOf(sources, contexts.team, kindNamed("Group"), resource);
}

const below = (parentUid: string) => groupResource({ spec: { parentUid } });

describe("a parent of another Tenant", () => {
  it.each<[string, Resource, WorldParts, readonly string[] | undefined]>([
    [
      "is the group of an object of that Tenant",
      groupBelow("shop", "others"),
      { objects: [shop("others", elsewhere)] },
      [elsewhere],
    ],
    [
      "is also what the status of the object records, once the parent has another one",
      { ...groupBelow("shop", "others"), status: recorded(`${another}/1111111111111111`) },
      { objects: [shop("others", elsewhere)] },
      [elsewhere, another],
    ],
    ["is not known before its object has a group", groupBelow("shop", "others"), { objects: [shop("others")] }, []],
    ["is not one of the same namespace", groupBelow("shop"), { objects: [shop("team", parent)] }, undefined],
    [
      "is not one of another namespace of the same Tenant",
      groupBelow("shop", "sibling"),
      { objects: [shop("sibling", parent)] },
      undefined,
    ],
    [
      "may be of no Tenant at all",
      groupBelow("shop", "ungoverned"),
      { objects: [shop("ungoverned", elsewhere)] },
      [elsewhere],
    ],
    [
      "is a group that such an object has, named by its uid",
      below(elsewhere),
      { objects: [shop("others", elsewhere)] },
      [elsewhere],
    ],
    [
      "is the root group that such an object observes",
      below(otherRoot),
      { objects: [shop("others", otherRoot, { policy: { ...groupResource().spec.policy, management: "Observe" } })] },
      [otherRoot],
    ],
    [
      "is not the root group that such an object cannot manage",
      below(otherRoot),
      { objects: [shop("others", otherRoot)] },
      undefined,
    ],
    ["is not a group by its uid that no object has", below(elsewhere), {}, undefined],
    ["is not a group by its uid of the Tenant itself", below(parent), { objects: [shop("others", parent)] }, undefined],
    [
      "is not a group by its uid that no Tenant may grant",
      below(elsewhere),
      { objects: [shop("ungoverned", elsewhere)] },
      undefined,
    ],
    [
      "is not a group by its uid that its Tenant does not permit",
      below(`${root.replaceAll("a", "c")}/1111111111111111`),
      { objects: [shop("others", `${root.replaceAll("a", "c")}/1111111111111111`)] },
      undefined,
    ],
  ])("%s", (_, resource, parts, expected) => {
    expect(foreignParent(resource, parts)).toEqual(expected);
  });
});
