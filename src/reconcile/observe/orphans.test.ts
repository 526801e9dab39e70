import { describe, expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { externalGroup, foreignMarker, marker } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { findOrphans } from "./orphans.ts";

describe("orphans", () => {
  const earlier = markerOf(ownerHash("earlier"), objectHash("Group", "team", "payments"));
  const found = (description: string, known: readonly string[] = []) =>
    findOrphans([externalGroup({ description })], [ownerHash("owner"), ownerHash("earlier")], new Set(known)).length;
  it.each([
    ["include a resource with our marker and without an object", withMarker("", marker), [], 1],
    ["include a resource with the marker of a previous owner id and without an object", withMarker("", earlier), [], 1],
    ["do not include a resource whose object exists", withMarker("", marker), [marker], 0],
    ["do not include a resource with another marker", withMarker("", foreignMarker), [], 0],
    ["do not include a resource without a marker", "by hand", [], 0],
  ] as const)("%s", (_, description, known, count) => {
    expect(found(description, known)).toBe(count);
  });
});
