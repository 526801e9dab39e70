import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { markerOf, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { ResourceStore } from "./cached-resource.ts";
import { isOneOf, operatorOf } from "./operator-identities.ts";

const uid = `${"a".repeat(40)}/1111111111111111`;
const marker = markerOf(ownerHash("cluster"), "0".repeat(16));

/** Stores with one Identity whose status has these fields; its resource is `uid`. */
function operator(description: string, status?: object): string | undefined {
  const claims = status === undefined ? [] : [{ resource: { status: { uid, ...status } } }];
  const index = () => claims;
  const stores = new PerKind(kinds, () => ({ index }) as unknown as ResourceStore);
  return operatorOf({ kinds, stores }, { uid, description });
}

it.each<[string, string, object | undefined, string | undefined]>([
  ["records an owner", withRecordedOwner("Operator.", "east"), undefined, "east"],
  ["records an owner with a class", withRecordedOwner("", "east/ci"), undefined, "east/ci"],
  ["records none", "Operator.", undefined, undefined],
  ["is observed", withRecordedOwner("", "east"), { management: "Observed" }, "east"],
  // Whoever may edit descriptions on the platform must not keep Muster from correcting and deleting what it manages.
  ["is managed", withRecordedOwner("", "east"), { management: "Created" }, undefined],
  ["carries a marker", withMarker(withRecordedOwner("", "east"), marker), undefined, undefined],
])("an identity that %s", (_, description, status, expected) => {
  expect(operator(description, status)).toBe(expected);
});

it.each([
  ["west", "west", undefined, true],
  ["west", "east", undefined, false],
  ["west/ci", "west", "ci", true],
  ["west/ci", "west", undefined, false],
  ["west", "west", "ci", false],
])("%s is the owner of %s with the class %s: %s", (recorded, ownerId, operatorClass, expected) => {
  expect(isOneOf([ownerHash(ownerId, operatorClass)], recorded)).toBe(expected);
});
