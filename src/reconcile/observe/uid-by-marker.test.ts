import { expect, it } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import {
  anotherUid,
  bindingResource,
  externalGroup,
  foreignMarker,
  groupResource,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { world, type WorldParts } from "./observed-world.testing.ts";
import { elsewhere } from "./references-world.testing.ts";
import { uidByMarker } from "./uid-by-marker.ts";

const found = (parts: WorldParts = {}, kind = "Group", key = "team/payments") =>
  uidByMarker(world({ objects: [groupResource()], listed: { Group: [externalGroup()] }, ...parts }).sources, kind, key);

it("an object whose status may be lost has what carries its marker", () => {
  expect(found()).toBe(uid);
  const there = externalGroup({ uid: `${elsewhere}/2222222222222222` });
  expect(found({ listed: {}, listedElsewhere: { Group: [there] } })).toBe(there.uid);
});

it.each<[string, WorldParts, string?, string?]>([
  ["nothing carries it", { listed: { Group: [externalGroup({ description: withMarker("", foreignMarker) })] } }],
  ["several resources carry it", { listed: { Group: [externalGroup(), externalGroup({ uid: anotherUid })] } }],
  ["it does not exist", {}, "Group", "team/none"],
  ["it manages nothing", { objects: [groupResource({ metadata: { finalizers: [] } })] }],
  ["its kind has no markers", { objects: [bindingResource()] }, "RoleBinding", "team/ci-views"],
])("an object has nothing if %s", (_, parts, kind, key) => {
  expect(found(parts, kind, key)).toBeUndefined();
});
