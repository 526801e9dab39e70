import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { groupKind } from "#src/kinds/group.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { ownerHash } from "#src/kinds/marker.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { SnapshotListener } from "#src/platform-client/session-lists.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import {
  groupResource,
  notReady,
  observed,
  parent,
  ready,
  root,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { Breakers } from "./observe/breakers.ts";
import { ReconcileStates } from "./observe/reconcile-states.ts";
import { newResourceStores } from "./observe/resource-stores.ts";
import type { Sources } from "./observe/sources.ts";
import type { TenancyChange } from "./tenancy/tenancy.ts";
import { wakeWorld } from "./wake/wake-world.testing.ts";
import { wakeTable } from "./wake/wake.ts";
import { connectWatchHandlers } from "./watch-handlers.ts";

/** The uid of a group that other objects use. */
const used = `${parent}/7777777777777777`;
const { parentUid: _, ...spec } = groupResource().spec;

it("wakes the objects of a namespace that has another Tenant, and those elsewhere that refer to them", () => {
  const { listeners, woken } = connect([
    groupResource({ metadata: { name: "shop", namespace: "moved" } }),
    groupResource({ metadata: { name: "unrelated", namespace: "others" } }),
    {
      ...groupResource({ metadata: { name: "below", namespace: "others" } }),
      spec: { ...spec, parentRef: { name: "shop", namespace: "moved" } },
    },
  ]);
  for (const listener of listeners)
    listener({ namespaces: new Set(["moved"]), tenants: new Set(), selecting: new Set(), identities: new Set() });
  expect(woken.map(({ key }) => key).toSorted()).toEqual(["Group moved/shop", "Group others/below"]);
});

it("wakes a group that waits to be deleted when an object in it begins to only observe", () => {
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  const going = groupResource({
    metadata: { name: "going", deletionTimestamp, finalizers: ["iam.muster.dev/external"] },
  });
  const { namespace = "" } = going.metadata;
  const below = {
    ...groupResource({ metadata: { name: "below" } }),
    spec: { ...spec, parentRef: { name: "going" } },
    status: { ...notReady("Paused"), uid: used, parentUid: parent, management: "Created" },
  };
  const { stores, woken } = connect([going, below]);
  const metadata = { ...below.metadata, resourceVersion: "10" };
  const observing: Resource = { ...below, metadata, status: { ...below.status, management: "Observed" } };
  stores.get("Group").observeOwnWrite(observing);
  expect(woken.map(({ key }) => key)).toContain(`Group ${namespace}/going`);
});

it("wakes the objects that use a uid when an object begins, or ceases, to grant that to their namespace, and no others", () => {
  const shared = {
    ...groupResource({ metadata: { name: "shared", namespace: "others" } }),
    status: { ...notReady("Paused"), uid: used, parentUid: parent },
  };
  const below = ["team", "elsewhere"].map((namespace) =>
    groupResource({ metadata: { name: "below", namespace }, spec: { parentUid: used } }),
  );
  const { stores, woken } = connect([shared, ...below]);
  const changes: readonly [grants: readonly string[], recorded: string | undefined][] = [
    [["team"], used],
    [["team"], undefined],
    [["team"], used],
    [[], used],
    [["unused"], used],
  ];
  const wakes = changes.map(([allowedNamespaces, recorded], index) => {
    woken.length = 0;
    const metadata = { ...shared.metadata, resourceVersion: `${10 + index}`, generation: 10 + index };
    const { uid: __, ...status } = shared.status;
    const changed = {
      ...shared,
      metadata,
      spec: { ...shared.spec, allowedNamespaces },
      status: recorded === undefined ? status : { ...status, uid: recorded },
    };
    stores.get("Group").apply({ type: "MODIFIED", object: changed });
    return woken.map(({ key }) => key).filter((key) => key.endsWith("/below"));
  });
  expect(wakes).toEqual([...Array.from({ length: 4 }, () => ["Group team/below"]), []]);
});

it("wakes an object that is being deleted when the last object that uses its uid is gone", () => {
  const below = groupResource({ metadata: { name: "below", namespace: "team" }, spec: { parentUid: used } });
  const above = {
    ...groupResource({ metadata: { name: "above", namespace: "others", deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    status: { ...notReady("ChildrenExist"), uid: used },
  };
  const { stores, woken } = connect([above, below]);
  woken.length = 0;
  stores.get("Group").apply({ type: "DELETED", object: below });
  expect(woken.filter(({ key }) => key === "Group others/above")).toEqual([{ key: "Group others/above" }]);
});

it("wakes an object that is being deleted when one that refers to it first reports that it has no resource", () => {
  const below = {
    ...groupResource({ metadata: { name: "below", namespace: "team" } }),
    spec: { ...spec, parentRef: { name: "above" } },
  };
  const { stores, woken } = connect([
    groupResource({ metadata: { name: "above", namespace: "team", deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    below,
  ]);
  woken.length = 0;
  const metadata = { ...below.metadata, resourceVersion: "6" };
  const reported: Resource = { ...below, metadata, status: notReady("TenantDenied") };
  stores.get("Group").apply({ type: "MODIFIED", object: reported });
  expect(woken.map(({ key }) => key)).toContain("Group team/above");
});

it("wakes an object that is being deleted at once only when the last object that refers to it is gone", () => {
  const below = ["first", "last"].map((name) => ({
    ...groupResource({ metadata: { name, namespace: "team" } }),
    spec: { ...spec, parentRef: { name: "above" } },
  }));
  const { stores, woken } = connect([
    groupResource({ metadata: { name: "above", namespace: "team", deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    ...below,
  ]);
  const delays = below.map((object) => {
    woken.length = 0;
    stores.get("Group").apply({ type: "DELETED", object });
    return woken.flatMap(({ key, delayMs = 0 }) => (key === "Group team/above" ? [delayMs] : []));
  });
  expect(delays).toEqual([[250], [0]]);
});

it("holds what a list lacks, if that is much, until a list shows it again", () => {
  const { breakers, list } = listed(["1", "2", "3"]);
  list(["1", "2", "3"]);
  expect(breakers.open("team").get("Group")).toBeUndefined();
  list([]);
  expect(breakers.open("team").get("Group")).toEqual({ id: "id", missing: 3 });
  list(["1"]);
  expect(breakers.open("team").get("Group")).toEqual({ id: "id", missing: 2 });
  list(["1", "2", "3"]);
  expect(breakers.open("team").get("Group")).toBeUndefined();
});

it("holds what reads show to be gone, if that is much", () => {
  const { breakers, list, read } = listed(["1", "2", "3"]);
  list(["1", "2", "3"]);
  for (const name of ["1", "2", "3"]) read(name, "gone");
  expect(breakers.open("team").get("Group")).toEqual({ id: "id", missing: 3 });
});

it("holds what a list lacks and a DELETE of ours had removed already", () => {
  const { breakers, list, deleted } = listed(["1", "2", "3"]);
  list(["1", "2", "3"]);
  for (const name of ["1", "2", "3"]) deleted(name);
  expect(breakers.open("team").get("Group")).toBeUndefined();
  list([]);
  expect(breakers.open("team").get("Group")).toEqual({ id: "id", missing: 3 });
});

it("asks of no object who reconciles it if lists and reads show what objects record", () => {
  const { list, read, asked } = listed(["1", "2", "3"]);
  list(["1", "2", "3"]);
  list(["1", "2", "3", "foreign"]);
  read("2", "present");
  expect(asked).toEqual([]);
  list(["1", "2"]);
  expect(new Set(asked)).toEqual(new Set(["3", "1", "2"]));
});

it("is documented for everything that a decision is made from", async () => {
  const document = await readFile("src/reconcile/wake/README.md", "utf8");
  const rows = document.split("\n").filter((line) => line.startsWith("| `"));
  const causes = rows.flatMap((line) => line.split("|")[3]?.match(/(?<=`)\w+(?=`)/g) ?? []);
  const table = Object.values(wakeTable).flatMap((ofCause) => Object.keys(ofCause));
  expect(causes.toSorted()).toEqual(table.toSorted());
  const firstColumn = rows.map((line) => line.split("|")[1] ?? "");
  const named = new Set(firstColumn.flatMap((cell) => cell.match(/(?<=`)\w+(?=`)/g) ?? []));
  named.delete("claimedBy");
  named.delete("heldByBreaker");
  expect([...named].toSorted()).toEqual(Object.keys(observed()).toSorted());
});

function connect(objects: readonly KubeObject[]) {
  const stores = newResourceStores(kinds);
  stores.get("Group").replace({ namespace: undefined, objects, resourceVersion: "5", versionAtStart: "0" });
  const listeners: ((change: TenancyChange) => void)[] = [];
  const woken: (AddOptions & { readonly key: string })[] = [];
  connectWatchHandlers(
    {
      kinds,
      stores,
      states: new PerKind(kinds, () => new ReconcileStates()),
      tenancy: {
        contexts: [],
        onSession: () => undefined,
        onChange: (listener: (typeof listeners)[number]) => listeners.push(listener),
      },
      undeclared: { groupsThatReport: () => [] },
      breakers: new Breakers(() => "id"),
      clock: new ManualClock(),
    } as unknown as Sources,
    { objects: 20, share: 0.1 },
    (kind, key, how) => woken.push({ key: `${kind} ${key}`, ...how }),
  );
  return { stores, listeners, woken };
}

/** A Tenant with Groups that record resources; breakers hold the re-creation of two or more. */
function listed(names: readonly string[]) {
  const uidOf = (name: string) => `${parent}/${name.padStart(16, "0").replace(/[^0-9a-f]/g, "a")}`;
  const objects = names.map((name) => ({
    ...groupResource({ metadata: { name } }),
    status: { ...ready, uid: uidOf(name) },
  }));
  const view = new CollectionView<ExternalResource>(groupKind.collection);
  const external = (name: string) => ({ uid: uidOf(name), name }) as ExternalResource;
  let onSnapshot: SnapshotListener = () => undefined;
  const session = {
    viewOf: () => view,
    onSnapshot: (listener: SnapshotListener) => (onSnapshot = listener),
    ...Object.fromEntries(
      ["onNameReleased", "onPermissionsChanged", "onRecovery", "onTrialWanted", "onPermissionsRead"].map((name) => [
        name,
        () => undefined,
      ]),
    ),
  } as unknown as PlatformSession;
  const { sources } = wakeWorld(objects, session);
  const asked: string[] = [];
  const tenancy = Object.create(sources.tenancy, {
    onSession: { value: (listener: (one: PlatformSession) => void) => listener(session) },
    governanceOf: {
      value: (resource: Resource) => {
        asked.push(resource.metadata.name);
        return sources.tenancy.governanceOf(resource);
      },
    },
  }) as Sources["tenancy"];
  const breakers = new Breakers(() => "id");
  const more = { owners: [ownerHash("owner")], breakers, clock: new ManualClock() };
  connectWatchHandlers({ ...sources, ...more, tenancy } as unknown as Sources, { objects: 2, share: 0.1 }, () => {});
  let now = 0;
  return {
    breakers,
    asked,
    list: (shown: readonly string[]) => {
      const scope = { descendantsOf: root };
      onSnapshot(groupKind.collection, view.recordSnapshot(scope, shown.map(external), ++now, true), scope);
    },
    deleted: (name: string) => view.recordGone(uidOf(name), ++now),
    read: (name: string, found: "present" | "gone") => {
      if (found === "gone") view.recordGone(uidOf(name), ++now);
      else view.record(external(name), ++now);
      onSnapshot(groupKind.collection, [uidOf(name)]);
    },
  };
}
