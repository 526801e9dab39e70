import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { Store } from "#src/kube/store.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { LiveTenancy, parseNamespace, type CachedNamespace } from "#src/reconcile/tenancy/live-tenancy.ts";
import type { TenantSessions } from "#src/reconcile/tenancy/tenant-sessions.ts";
import { newResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { connectTenantHandlers } from "./tenant-handlers.ts";

let version = 1;
const object = (kind: string, name: string, parts: object): KubeObject => ({
  apiVersion: kind === "Tenant" ? "iam.muster.dev/v1beta1" : "v1",
  kind,
  metadata: { name, uid: `uid-of-${name}`, resourceVersion: String((version += 1)), generation: version },
  ...parts,
});
const namespace = (name: string, team: string) => {
  const { metadata, ...rest } = object("Namespace", name, {});
  return { ...rest, metadata: { ...metadata, labels: { team } } };
};
const tenant = (name: string, roles: readonly string[] = []) =>
  object("Tenant", name, { spec: { namespaceSelector: { matchLabels: { team: name } }, roles: [...roles] } });

function start() {
  const names = Array.from({ length: 20 }, (_, index) => `team-${index}`);
  const tenants = new Store<CachedTenant>({ parse: parseTenant, indexes: {} });
  const namespaces = new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} });
  for (const store of [tenants, namespaces]) store.addScope(undefined);
  const list = (objects: KubeObject[]) => ({
    namespace: undefined,
    objects,
    resourceVersion: String(version),
    versionAtStart: "0",
  });
  tenants.replace(list(names.map((name) => tenant(name))));
  namespaces.replace(list(names.map((name) => namespace(`of-${name}`, name))));
  const served = { session: { onPermissionsChanged: () => undefined }, identity: "", credentialEpoch: () => 1 };
  const sessions = {
    operator: served,
    sessionOf: () => served,
    end: () => undefined,
    all: () => [],
    onSession: () => undefined,
  } as unknown as TenantSessions;
  const outer = { roots: [], roles: [], namespaces: null };
  const tenancy = new LiveTenancy({ tenants, namespaces, sessions, outer, class: "", settledAt: 0 });
  const stores = newResourceStores(kinds);
  const enqueued: string[] = [];
  connectTenantHandlers(tenants, { stores, tenancy }, (name) => enqueued.push(name));
  enqueued.length = 0;
  return { tenants, namespaces, enqueued };
}

it("a namespace that moves to another Tenant changes the counts of these two Tenants only", () => {
  const { namespaces, enqueued } = start();
  const moved = namespace("of-team-3", "team-4");
  namespaces.apply({ type: "MODIFIED", object: moved });
  expect(enqueued.toSorted()).toEqual(["team-3", "team-4"]);
});

it("a Tenant that changes changes its own counts, and those of the Tenants that select its namespaces, too", () => {
  const { tenants, namespaces, enqueued } = start();
  tenants.apply({ type: "MODIFIED", object: tenant("team-3", ["viewer"]) });
  expect(new Set(enqueued)).toEqual(new Set(["team-3"]));
  tenants.apply({
    type: "MODIFIED",
    object: object("Tenant", "team-5", { spec: { namespaces: ["of-team-6"], roles: [] } }),
  });
  enqueued.length = 0;
  namespaces.apply({ type: "MODIFIED", object: namespace("of-team-6", "team-7") });
  expect(enqueued.toSorted()).toEqual(["team-5", "team-6", "team-7"]);
});
