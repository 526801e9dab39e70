import { beforeEach, describe, expect, it } from "vitest";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { Store } from "#src/kube/store.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { groupResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type CachedTenant, parseTenant } from "./cached-tenant.ts";
import type { ObjectMeta } from "#src/api/metadata.ts";
import { type CachedNamespace, LiveTenancy, parseNamespace } from "./live-tenancy.ts";
import type { TenancyChange } from "./tenancy.ts";
import { decideTenantFinalizer, isGuardedBy } from "./tenant-finalizer.ts";
import { type SessionCredential, TenantSessions } from "./tenant-sessions.ts";

const root = "a".repeat(40);
const payments = `${root}/1111111111111111`;
const shopping = `${root}/2222222222222222`;
const operatorIdentity = `${root}/000000000000000f`;
const tenantIdentity = `${payments}/000000000000000e`;

let version = 1;
let tenants: Store<CachedTenant>;
let namespaces: Store<CachedNamespace>;
let opened: (SessionCredential & { readonly tenant: string; readonly signal: AbortSignal })[];

beforeEach(() => {
  opened = [];
  tenants = new Store<CachedTenant>({ parse: parseTenant, indexes: {} });
  namespaces = new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} });
  for (const store of [tenants, namespaces]) {
    store.addScope(undefined);
    store.replace({ namespace: undefined, objects: [], resourceVersion: "1", versionAtStart: "0" });
  }
});

function newTenancy({ allowed = null, own = "" }: { allowed?: string[] | null; own?: string } = {}) {
  const session = (name: string) => ({ name }) as unknown as PlatformSession;
  const operator = {
    identity: operatorIdentity,
    roots: [root],
    session: session("operator"),
    credentialEpoch: () => 1,
  };
  const sessions = new TenantSessions(
    operator,
    (tenant, credential, signal) => {
      opened.push({ ...credential, tenant, signal });
      return { session: session(tenant), credentialEpoch: () => 1 };
    },
    new AbortController().signal,
  );
  const outer = { roots: [root], roles: ["viewer"], namespaces: allowed };
  return new LiveTenancy({ tenants, namespaces, sessions, outer, class: own, settledAt: 0 });
}

function applyTenant(name: string, spec: object, metadata: object = {}) {
  const [resourceVersion, generation] = [String((version += 1)), version];
  const object = {
    apiVersion,
    kind: "Tenant",
    metadata: { name, uid: `uid-of-${name}`, resourceVersion, generation, ...metadata },
    spec,
  };
  tenants.apply({ type: "MODIFIED", object });
}

function deleteTenant(name: string) {
  const object = { apiVersion, kind: "Tenant", metadata: { ...tenants.get(name)?.metadata, name } };
  tenants.apply({ type: "DELETED", object });
}

function applyNamespace(name: string, labels: Record<string, string> = {}, more: Partial<ObjectMeta> = {}) {
  const metadata = { name, uid: `uid-of-${name}`, resourceVersion: String((version += 1)), labels, ...more };
  namespaces.apply({ type: "MODIFIED", object: { apiVersion: "v1", kind: "Namespace", metadata } });
}

function groupIn(namespace: string, { deleted = false, tenant }: { deleted?: boolean; tenant?: string } = {}) {
  const deletionTimestamp = deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  const resource = groupResource({ metadata: { namespace, finalizers: [finalizer], ...deletionTimestamp } });
  const status = tenant === undefined ? {} : { status: { observedGeneration: 1, tenant } };
  return { ...resource, ...status } as typeof resource;
}

/** Who governs, in short. */
function governance(tenancy: LiveTenancy, ...of: Parameters<typeof groupIn>): string {
  const found = tenancy.governanceOf(groupIn(...of));
  if (found.by === "tenant") return `${found.context.name} ${found.serves}`;
  return found.by === "several" ? `several: ${found.tenants.join()}` : found.by;
}

function changesOf(tenancy: LiveTenancy): TenancyChange[] {
  const changes: TenancyChange[] = [];
  tenancy.onChange((change) => changes.push(change));
  return changes;
}

const byTeam = (team: string) => ({ namespaceSelector: { matchLabels: { team } }, groups: [payments] });

it("reports that a namespace is being deleted as a change of it", () => {
  applyNamespace("team");
  const changes: TenancyChange[] = [];
  newTenancy().onChange((change) => changes.push(change));
  applyNamespace("team", {}, { annotations: { any: "" } });
  expect(changes).toEqual([]);
  applyNamespace("team", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  expect(changes.map(({ namespaces: changed }) => [...changed])).toEqual([["team"]]);
});

it("reports everything as changed once Tenants and namespaces were read, and nothing before", () => {
  tenants = new Store<CachedTenant>({ parse: parseTenant, indexes: {} });
  namespaces = new Store<CachedNamespace>({ parse: parseNamespace, indexes: {} });
  for (const store of [tenants, namespaces]) store.addScope(undefined);
  const changes = changesOf(newTenancy());
  const kubeObject = (kind: string, name: string, spec: object) => ({
    apiVersion,
    kind,
    metadata: { name, uid: `uid-of-${name}`, resourceVersion: "1", generation: 1 },
    spec,
  });
  const read = { namespace: undefined, resourceVersion: "2", versionAtStart: "0" };
  tenants.replace({ ...read, objects: [kubeObject("Tenant", "shop", { groups: [payments] })] });
  changes.length = 0;
  namespaces.replace({ ...read, objects: [kubeObject("Namespace", "team", {})] });
  expect(changes.at(-1)).toEqual({
    namespaces: new Set(["team"]),
    tenants: new Set(["shop"]),
    selecting: new Set(["shop"]),
    identities: new Set(),
  });
});

it("reports nothing as changed when it was read before", () => {
  const changes = changesOf(newTenancy());
  for (const store of [tenants, namespaces])
    store.replace({ namespace: undefined, objects: [], resourceVersion: "9", versionAtStart: "0" });
  expect(changes).toEqual([]);
});

it("knows the namespaces of a session of a Tenant's own", () => {
  applyNamespace("team", { team: "shop" });
  applyNamespace("else");
  applyTenant("shop", { ...byTeam("shop"), credentials: { type: "ServiceAccount", identityUid: tenantIdentity } });
  applyTenant("plain", { namespaces: ["else"] });
  const tenancy = newTenancy();
  const [operator, own] = [...tenancy.sessions];
  expect([operator, own].map((session) => session && tenancy.namespacesOf(session))).toEqual([undefined, ["team"]]);
});

it("tells who asks of every session, those that exist and those that come", () => {
  const own = (group: string) => ({
    namespaces: [],
    groups: [group],
    credentials: { type: "ServiceAccount", identityUid: tenantIdentity },
  });
  applyTenant("shop", own(payments));
  const tenancy = newTenancy();
  const seen: unknown[] = [];
  tenancy.onSession((session) => seen.push(session));
  applyTenant("bank", own(shopping));
  expect(seen).toEqual(["operator", "shop", "bank"].map((name) => ({ name })));
});

it("says whether a namespace is being deleted", () => {
  applyNamespace("a");
  const tenancy = newTenancy();
  expect(tenancy.isTerminating("a")).toBe(false);
  applyNamespace("a", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  expect([tenancy.isTerminating("a"), tenancy.isTerminating("unknown")]).toEqual([true, false]);
});

describe("the Tenant of an object", () => {
  it("is the one that selects the namespace, and follows the label of the namespace", () => {
    applyNamespace("a");
    applyTenant("shop", byTeam("shop"));
    const tenancy = newTenancy();
    const changes = changesOf(tenancy);
    expect(governance(tenancy, "a")).toBe("none");
    applyNamespace("a", { team: "shop" });
    expect(governance(tenancy, "a")).toBe("shop everything");
    applyNamespace("a", { team: "bank" });
    expect(governance(tenancy, "a")).toBe("none");
    expect(changes.map((change) => [...change.namespaces])).toEqual([["a"], ["a"]]);
  });

  it("follows the Tenant: created, narrowed, gone", () => {
    for (const name of ["a", "b"]) applyNamespace(name);
    const tenancy = newTenancy();
    const changes = changesOf(tenancy);
    applyTenant("shop", { namespaces: ["a", "b"], groups: [root] });
    expect(governance(tenancy, "b")).toBe("shop everything");
    applyTenant("shop", { namespaces: ["a"], groups: [payments] });
    expect([governance(tenancy, "a"), governance(tenancy, "b")]).toEqual(["shop everything", "none"]);
    expect(tenancy.contextOf("shop")?.boundary.groups).toEqual([payments]);
    deleteTenant("shop");
    expect(governance(tenancy, "a")).toBe("none");
    expect(changes.map((change) => [...change.namespaces].toSorted())).toEqual([["a", "b"], ["a", "b"], ["a"]]);
    expect(changes.map((change) => [...change.tenants])).toEqual([["shop"], ["shop"], ["shop"]]);
  });

  it("is none of two that select the namespace, until one of them goes", () => {
    applyNamespace("a");
    applyTenant("shop", { namespaces: ["a"] });
    applyTenant("bank", { namespaces: ["a"] });
    const tenancy = newTenancy();
    expect(governance(tenancy, "a")).toBe("several: bank,shop");
    deleteTenant("bank");
    expect(governance(tenancy, "a")).toBe("shop everything");
  });

  it("is not reported while the namespace, Tenants or namespaces are not known", () => {
    expect(governance(newTenancy(), "new")).toBe("unserved");
    applyNamespace("a");
    tenants.addScope("not listed yet");
    expect(governance(newTenancy(), "a")).toBe("unserved");
  });

  it("selects nothing outside of the operator's allowed namespaces", () => {
    for (const name of ["a", "b"]) applyNamespace(name);
    applyTenant("shop", { namespaces: ["a", "b"] });
    const tenancy = newTenancy({ allowed: ["a"] });
    expect([governance(tenancy, "a"), governance(tenancy, "b")]).toEqual(["shop everything", "none"]);
  });

  it("is none if the Tenant does not match its schema", () => {
    applyNamespace("a");
    applyTenant("shop", { namespaces: ["a"], groups: "everything" });
    expect(governance(newTenancy(), "a")).toBe("none");
  });

  it("ignores a change of the Tenant's status", () => {
    applyNamespace("a");
    applyTenant("shop", { namespaces: ["a"] });
    const tenancy = newTenancy();
    const changes = changesOf(tenancy);
    const { metadata } = tenants.get("shop") as CachedTenant;
    applyTenant("shop", { namespaces: ["a"] }, { ...metadata, resourceVersion: String((version += 1)) });
    expect(changes).toEqual([]);
  });
});

describe("an object that is being deleted", () => {
  it("belongs to the Tenant that its status names, also if that no longer selects the namespace", () => {
    for (const name of ["a", "b"]) applyNamespace(name);
    applyTenant("shop", { namespaces: ["a"] });
    applyTenant("bank", { namespaces: ["b"] });
    const tenancy = newTenancy();
    const deleted = { deleted: true, tenant: "shop" };
    expect(governance(tenancy, "a", deleted)).toBe("shop everything");
    expect(governance(tenancy, "b", deleted)).toBe("shop deletions");
    expect(governance(tenancy, "b", { tenant: "shop" })).toBe("bank everything");
  });

  it("belongs to the Tenant that selects the namespace if the one that it names is gone", () => {
    applyNamespace("a");
    applyTenant("bank", { namespaces: ["a"] });
    expect(governance(newTenancy(), "a", { deleted: true, tenant: "shop" })).toBe("bank everything");
  });

  it("is served by a Tenant that is being deleted, which serves nothing else", () => {
    applyNamespace("a");
    applyTenant("shop", { namespaces: ["a"] }, { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const tenancy = newTenancy();
    expect(governance(tenancy, "a", { deleted: true, tenant: "shop" })).toBe("shop deletions");
    expect(governance(tenancy, "a", { deleted: true })).toBe("shop deletions");
    expect(governance(tenancy, "a", { tenant: "shop" })).toBe("none");
  });
});

describe("a class", () => {
  it("an operator serves only its class, and only the one without a class reports that there is no Tenant", () => {
    for (const name of ["a", "b", "c"]) applyNamespace(name);
    applyTenant("shop", { namespaces: ["a"] });
    applyTenant("bank", { namespaces: ["b"], class: "blue" });
    const [plain, blue] = [newTenancy(), newTenancy({ own: "blue" })];
    expect(["a", "b", "c"].map((name) => governance(plain, name))).toEqual(["shop everything", "unserved", "none"]);
    expect(["a", "b", "c"].map((name) => governance(blue, name))).toEqual(["unserved", "bank everything", "unserved"]);
    expect(governance(plain, "a", { deleted: true, tenant: "bank" })).toBe("unserved");
  });

  it("two Tenants of different classes overlap, too", () => {
    applyNamespace("a");
    applyTenant("shop", { namespaces: ["a"] });
    applyTenant("bank", { namespaces: ["a"], class: "blue" });
    expect(governance(newTenancy(), "a")).toBe("several: bank,shop");
    expect(governance(newTenancy({ own: "blue" }), "a")).toBe("several: bank,shop");
  });
});

describe("the session of a Tenant", () => {
  const own = (groups: string[], identityUid = tenantIdentity) => ({
    namespaces: ["a"],
    groups,
    credentials: { type: "ServiceAccount", identityUid },
  });

  it("is the operator's unless the Tenant has credentials of its own, below the Tenant's groups within the root groups", () => {
    applyTenant("shared", { namespaces: ["b"], groups: [payments] });
    applyTenant("own", own([payments, `${payments}/3333333333333333`, "b".repeat(40)]));
    const tenancy = newTenancy();
    expect(tenancy.contextOf("shared")?.identity).toBe(operatorIdentity);
    expect(tenancy.contextOf("own")?.identity).toBe(tenantIdentity);
    expect(opened).toMatchObject([{ tenant: "own", identity: tenantIdentity, roots: [payments] }]);
    expect([...tenancy.sessions]).toHaveLength(2);
  });

  it("is replaced when the credentials or the groups change, and ends with the Tenant", () => {
    applyTenant("own", own([payments]));
    const tenancy = newTenancy();
    const first = tenancy.contextOf("own")?.session;
    applyTenant("own", { ...own([payments]), roles: ["viewer"] });
    expect(tenancy.contextOf("own")?.session).toBe(first);
    applyTenant("own", own([shopping]));
    expect(tenancy.contextOf("own")?.session).not.toBe(first);
    applyTenant("own", own([shopping], `${shopping}/000000000000000d`));
    deleteTenant("own");
    expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    expect([...tenancy.sessions]).toHaveLength(1);
  });

  it("uses an identity that is never written, whatever the class of the Tenant or the rest of its spec", () => {
    applyTenant("own", own([payments]));
    applyTenant("blue", { ...own([], `${shopping}/000000000000000c`), class: "blue" });
    applyTenant("invalid", { ...own([], `${shopping}/000000000000000b`), roles: 7 });
    const tenancy = newTenancy();
    expect([...tenancy.credentialIdentities]).toEqual([
      operatorIdentity,
      tenantIdentity,
      `${shopping}/000000000000000c`,
      `${shopping}/000000000000000b`,
    ]);
    deleteTenant("own");
    expect(tenancy.credentialIdentities.has(tenantIdentity)).toBe(false);
  });
});

it("knows the identities for emergencies of every Tenant, whatever its class or the rest of its spec", () => {
  const listing = (number: number) => ({ namespaces: [], breakGlass: [`${root}/000000000000000${number}`] });
  applyTenant("own", listing(1));
  applyTenant("blue", { ...listing(2), class: "blue" });
  applyTenant("invalid", { ...listing(3), roles: 7 });
  const tenancy = newTenancy();
  expect([...tenancy.breakGlassIdentities]).toEqual([1, 2, 3].map((number) => `${root}/000000000000000${number}`));
  deleteTenant("blue");
  expect(tenancy.breakGlassIdentities.size).toBe(2);
});

describe("the finalizer of a Tenant", () => {
  const deletion = { deletionTimestamp: "2026-01-01T00:00:00Z" };
  const tenant = (metadata: object) => {
    applyTenant("shop", { namespaces: ["a"] }, metadata);
    return tenants.get("shop") as CachedTenant;
  };

  it("is added when the Tenant is first seen, and removed once it guards nothing", () => {
    expect(decideTenantFinalizer(tenant({}), () => false)).toBe("add");
    expect(decideTenantFinalizer(tenant({ finalizers: [finalizer] }), () => false)).toBe("none");
    expect(decideTenantFinalizer(tenant({ finalizers: [finalizer], ...deletion }), () => true)).toBe("none");
    expect(decideTenantFinalizer(tenant({ finalizers: [finalizer], ...deletion }), () => false)).toBe("remove");
    expect(decideTenantFinalizer(tenant({ ...deletion }), () => true)).toBe("none");
  });

  it("guards objects with our finalizer that name the Tenant, or that name none and that it selects", () => {
    const shop = tenant({});
    expect(isGuardedBy(shop, groupIn("b", { tenant: "shop" }), {})).toBe(true);
    expect(isGuardedBy(shop, groupIn("a"), {})).toBe(true);
    expect(isGuardedBy(shop, groupIn("a", { tenant: "bank" }), {})).toBe(false);
    expect(isGuardedBy(shop, groupIn("b"), {})).toBe(false);
    const without = groupIn("a");
    expect(isGuardedBy(shop, { ...without, metadata: { ...without.metadata, finalizers: [] } }, {})).toBe(false);
  });
});
