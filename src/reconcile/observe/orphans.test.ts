import { describe, expect, it } from "vitest";
import { groupKind } from "#src/kinds/group.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import {
  externalGroup,
  foreignMarker,
  groupResource,
  marker,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { observeOrphans } from "./orphans.ts";
import type { Sources } from "./sources.ts";
import { newResourceStores } from "./resource-stores.ts";

const earlier = markerOf(ownerHash("earlier"), objectHash("Group", "team", "payments"));
const elsewhere = `${uid}/9999999999999999`;

function orphansOf(external: ReturnType<typeof externalGroup>, object?: ReturnType<typeof groupResource>): string[] {
  const view = new CollectionView(groupKind.collection);
  view.record(external, 0);
  const stores = newResourceStores(kinds);
  stores.get("Group").replace({
    namespace: undefined,
    objects: object === undefined ? [] : [object],
    resourceVersion: "5",
    versionAtStart: "0",
  });
  const session = { viewOf: () => view } as unknown as PlatformSession;
  return observeOrphans(
    {
      kinds,
      stores,
      owners: [ownerHash("owner"), ownerHash("earlier")],
      tenancy: { sessions: [session, session] },
    } as unknown as Sources,
    groupKind,
  );
}

describe("orphans", () => {
  it.each([
    ["include a resource with our marker and without an object", withMarker("", marker)],
    ["include a resource that we adopted", withMarker("", marker, true)],
    ["include a resource with the marker of a previous owner id and without an object", withMarker("", earlier)],
    ["include a resource with text after the marker", `${withMarker("", marker)} by hand`],
  ])("%s, once", (_, description) => {
    expect(orphansOf(externalGroup({ description }))).toEqual([uid]);
  });

  it.each([
    ["with another marker", withMarker("", foreignMarker)],
    ["without a marker", "by hand"],
  ])("do not include a resource %s", (_, description) => {
    expect(orphansOf(externalGroup({ description }))).toEqual([]);
  });

  it("do not include a resource that an object records", () => {
    const status = { observedGeneration: 1, uid };
    expect(orphansOf(externalGroup(), groupResource({ status }))).toEqual([]);
    const another = groupResource({ status, metadata: { name: "another" } });
    expect(orphansOf(externalGroup(), another)).toEqual([]);
  });

  it("include a copy of the marker of an object that records another resource", () => {
    const object = groupResource({ status: { observedGeneration: 1, uid } });
    expect(orphansOf(externalGroup({ uid: elsewhere }), object)).toEqual([elsewhere]);
  });

  it("include a resource that an object only observes, or only names by spec.uid", () => {
    const observes = groupResource({
      metadata: { name: "another" },
      status: { observedGeneration: 1, uid, management: "Observed" },
    });
    expect(orphansOf(externalGroup(), observes)).toEqual([uid]);
    expect(orphansOf(externalGroup(), groupResource({ metadata: { name: "another" }, spec: { uid } }))).toEqual([uid]);
  });
});
