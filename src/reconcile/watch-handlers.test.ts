import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { groupResource, notReady, observed, parent } from "#src/reconcile/policy/observed-fixture.testing.ts";
import type { AddOptions } from "#src/runtime/queue.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { Breakers } from "./observe/breakers.ts";
import { ReconcileStates } from "./observe/reconcile-states.ts";
import { newResourceStores } from "./observe/resource-stores.ts";
import type { Sources } from "./observe/sources.ts";
import type { TenancyChange } from "./tenancy/tenancy.ts";
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
