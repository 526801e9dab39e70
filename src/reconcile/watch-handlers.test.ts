import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import { Store } from "#src/kube/store.ts";
import { groupResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { Breakers } from "./observe/breakers.ts";
import { type CachedResource, parseResource, type ResourceIndex, resourceIndexes } from "./observe/cached-resource.ts";
import { ReconcileStates } from "./observe/reconcile-states.ts";
import type { Sources } from "./observe/sources.ts";
import type { TenancyChange } from "./tenancy/tenancy.ts";
import { connectWatchHandlers } from "./watch-handlers.ts";

it("wakes the objects of a namespace that has another Tenant, and those elsewhere that refer to them", () => {
  const { parentUid: _, ...spec } = groupResource().spec;
  const objects = [
    groupResource({ metadata: { name: "shop", namespace: "moved" } }),
    groupResource({ metadata: { name: "unrelated", namespace: "others" } }),
    {
      ...groupResource({ metadata: { name: "below", namespace: "others" } }),
      spec: { ...spec, parentRef: { name: "shop", namespace: "moved" } },
    },
  ];
  const stores = new PerKind(
    kinds,
    (kind) =>
      new Store<CachedResource, ResourceIndex>({
        parse: (one) => parseResource(kind, one),
        indexes: resourceIndexes(kind),
      }),
  );
  stores.get("Group").replace({ namespace: undefined, objects, resourceVersion: "5", versionAtStart: "0" });
  const listeners: ((change: TenancyChange) => void)[] = [];
  const woken: string[] = [];
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
      breakers: new Breakers(() => "id"),
      clock: new ManualClock(),
    } as unknown as Sources,
    { objects: 20, share: 0.1 },
    (kind, key) => woken.push(`${kind} ${key}`),
  );
  for (const listener of listeners)
    listener({ namespaces: new Set(["moved"]), tenants: new Set(), selecting: new Set() });
  expect(woken.toSorted()).toEqual(["Group moved/shop", "Group others/below"]);
});
