import { type Boundary, everything } from "#src/reconcile/tenancy/boundary.ts";
import { describe, expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import type { RoleBinding, RoleBindingSpec } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import {
  bindingResource,
  groupResource,
  identityResource,
  kindOf,
  marker,
  otherRoot,
  parent,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import { type ReferenceContext, resolveReferences } from "./references.ts";

const viewer: ExternalRole = { uid: "c".repeat(40), name: "viewer", capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] };
const owner: ExternalRole = { uid: "d".repeat(40), name: "owner", capabilities: ["CAP_REPO_DELETE"] };
const custom = `${parent}/5555555555555555`;
const foreignRole = `${otherRoot}/5555555555555555`;
const identityUid = `${parent}/4444444444444444`;
const time = "2026-01-01T00:00:00Z";
const observe = { management: "Observe", adoption: "Never", drift: "Correct" } as const;
const operatorIdentity = `${root}/0000000000000001`;

/** The status of an object that exists, by default Ready. */
function recorded(recordedUid: string, reason = "Available", more: Partial<Status> = {}): Status {
  const status = reason === "Available" ? "True" : reason === "Paused" ? "Unknown" : "False";
  return {
    observedGeneration: 1,
    uid: recordedUid,
    parentUid: recordedUid.slice(0, recordedUid.lastIndexOf("/")),
    conditions: [{ type: "Ready", status, reason, message: reason, observedGeneration: 1, lastTransitionTime: time }],
    ...more,
  };
}

type ObjectParts = { readonly spec?: object; readonly metadata?: object; readonly status?: Status };
/** A group below `parentUid`, or below the group `parentRef`. */
function group(name: string, { spec = {}, metadata = {}, status }: ObjectParts = {}): Resource {
  const base = groupResource(status === undefined ? {} : { status });
  const { parentUid: _, ...others } = base.spec;
  return {
    ...base,
    metadata: { ...base.metadata, name, ...metadata },
    spec: { ...others, ...("parentRef" in spec ? {} : { parentUid: root }), ...spec },
  };
}
/** A role in the group `parent`. */
function role(name: string, { spec = {}, metadata = {}, status }: ObjectParts = {}): Resource {
  const base = groupResource(status === undefined ? {} : { status });
  const own = { groupUid: parent, capabilities: ["CAP_REPO_LIST"], policy: base.spec.policy, ...spec };
  return { ...base, kind: "Role", metadata: { ...base.metadata, name, ...metadata }, spec: own };
}
const terminating = { deletionTimestamp: time };
const elsewhere = `${otherRoot}/1111111111111111`;

const objects: readonly Resource[] = [
  group("shop", { status: recorded(parent) }),
  group("new"),
  group("terminating", { status: recorded(parent), metadata: terminating }),
  group("elsewhere", { spec: { parentUid: otherRoot }, status: recorded(elsewhere) }),
  group("shop", { status: recorded(parent), metadata: { namespace: "others" } }),
  group("conflict", { status: recorded(parent, "Conflict") }),
  group("held", { status: recorded(parent, "HeldByBreaker") }),
  group("paused", { status: recorded(parent, "Paused") }),
  group("interrupted", { status: recorded(parent, "PlatformUnavailable") }),
  group("moved", { spec: { parentUid: `${root}/9999999999999999` }, status: recorded(parent) }),
  group("below-new", { spec: { parentRef: { name: "new" } }, status: recorded(`${parent}/6666666666666666`) }),
  group("below-shop", { spec: { parentRef: { name: "shop" } }, status: recorded(`${parent}/6666666666666666`) }),
  group("two-below-moved", {
    spec: { parentRef: { name: "below-moved" } },
    status: recorded(`${parent}/6666666666666666/7777777777777777`),
  }),
  group("below-moved", { spec: { parentRef: { name: "new" } }, status: recorded(`${parent}/6666666666666666`) }),
  group("below-terminating", {
    spec: { parentRef: { name: "terminating" } },
    status: recorded(`${parent}/6666666666666666`),
  }),
  group("observed-root", {
    spec: { parentRef: undefined, parentUid: undefined, uid: root, policy: { ...observe } },
    status: { ...recorded(root), parentUid: undefined } as unknown as Status,
  }),
  group("self", { spec: { parentRef: { name: "self" } } }),
  group("first", { spec: { parentRef: { name: "second" } } }),
  group("second", { spec: { parentRef: { name: "third", namespace: "sibling" } } }),
  group("third", { metadata: { namespace: "sibling" }, spec: { parentRef: { name: "first", namespace: "team" } } }),
  group("in-sibling", { metadata: { namespace: "sibling" }, status: recorded(parent) }),
  group("granted", {
    metadata: { namespace: "others" },
    spec: { parentUid: otherRoot, allowedNamespaces: ["team"] },
    status: recorded(elsewhere),
  }),
  group("granted-to-sibling", {
    metadata: { namespace: "others" },
    spec: { parentUid: otherRoot, allowedNamespaces: ["sibling", "team-b"] },
    status: recorded(elsewhere),
  }),
  group("granted-what-it-lost", {
    metadata: { namespace: "others" },
    spec: { allowedNamespaces: ["team"] },
    status: recorded(parent),
  }),
  group("granted-by-nobody", {
    metadata: { namespace: "ungoverned" },
    spec: { parentUid: otherRoot, allowedNamespaces: ["team"] },
    status: recorded(elsewhere),
  }),
  named(identityResource({ status: recorded(identityUid) }), "ci"),
  role("scanner", { status: recorded(custom) }),
  role("edited", { status: recorded(custom), metadata: { generation: 2 } }),
  named(edited(identityResource({ status: recorded(identityUid) })), "edited"),
  group("edited", { status: recorded(parent), metadata: { generation: 2 } }),
  role("drifting", { status: recorded(custom, "DriftDetected") }),
  role("granted", {
    metadata: { namespace: "others" },
    spec: { groupUid: otherRoot, allowedNamespaces: ["team"] },
    status: recorded(foreignRole),
  }),
  role("secret", {
    metadata: { namespace: "others" },
    spec: { groupUid: otherRoot },
    status: recorded(foreignRole),
  }),
  named(identityResource({ status: recorded(identityUid, "PlatformUnavailable") }), "interrupted"),
  ...(["Conflict", "ParentChanged", "ExternalGone"] as const).map((reason) =>
    named(identityResource({ status: recorded(identityUid, reason) }), `lost-${reason}`),
  ),
];

/** With a generation that its status does not know. */
function edited(resource: Resource): Resource {
  return { ...resource, metadata: { ...resource.metadata, generation: 2 } };
}

function named(resource: Resource, name: string): Resource {
  return { ...resource, metadata: { ...resource.metadata, name } };
}

const inCluster = new Map(objects.map((one) => [`${one.kind} ${one.metadata.namespace}/${one.metadata.name}`, one]));

const outer = { roots: [root, otherRoot], roles: ["viewer"], namespaces: null };
/** Tenant `all` governs the namespaces `team` and `sibling`, Tenant `others` the namespace `others`. */
function governanceOf(namespace: string): Governance {
  if (namespace === "ungoverned") return { by: "none" };
  const name = namespace === "others" ? "others" : "all";
  const boundary = everything({ ...outer, roots: [name === "others" ? otherRoot : root] });
  return { by: "tenant", serves: "everything", context: { name, boundary } as TenantContext };
}

const context: ReferenceContext = {
  kinds,
  tenant: "all",
  governanceOf,
  isRead: () => true,
  publicIssuers: [],
  find: (kind, key) => inCluster.get(`${kind} ${key}`),
  roles: {
    byName: new Map([
      ["viewer", viewer],
      ["owner", owner],
    ]),
    byUid: new Map([
      [viewer.uid, viewer],
      [owner.uid, owner],
      // A custom role with the name of a built-in one.
      [custom, { uid: custom, name: "viewer", capabilities: [] }],
    ]),
  },
  boundary: everything({ roots: [root], roles: ["viewer"], namespaces: null }),
  isDeclaredRole: () => false,
  capabilitiesOf: () => undefined,
  isCredential: (identity) => identity === operatorIdentity,
  serviceAccounts: { issuer: "https://issuer.example", audience: "auth.example" },
  marker,
};

function resolve(resource: Resource, more: Partial<ReferenceContext> = {}) {
  return resolveReferences(kindOf({ resource }), resource, { ...context, ...more });
}

const groupBelow = (name: string, namespace?: string) => {
  const { parentUid: _, ...spec } = groupResource().spec;
  return {
    ...groupResource(),
    spec: { ...spec, parentRef: { name, ...(namespace === undefined ? {} : { namespace }) } },
  };
};
const binding = (spec: Partial<RoleBindingSpec>) =>
  bindingResource({ spec: { identityUid, roleRef: { name: "viewer" }, ...spec } });

describe("a reference to an object", () => {
  it.each<[string, Resource, object]>([
    ["with a uid resolves to it", groupBelow("shop"), { are: "resolved", uids: { parent }, naturalKey: marker }],
    ["that does not exist waits", groupBelow("none"), { are: "waiting", reason: "ReferenceNotFound" }],
    ["that has no uid yet waits", groupBelow("new"), { are: "waiting", reason: "ReferenceNotReady" }],
    ["that is being deleted waits", groupBelow("terminating"), { are: "waiting", reason: "ReferenceNotReady" }],
    [
      "that is being deleted resolves for an object that is, too",
      {
        ...groupBelow("terminating"),
        metadata: { ...groupResource().metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
      },
      { are: "resolved", uids: { parent } },
    ],
    ["in the same namespace, given explicitly, needs no grant", groupBelow("shop", "team"), { are: "resolved" }],
    [
      "in another namespace needs a grant",
      groupBelow("shop", "others"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    ["outside the root groups is denied", groupBelow("elsewhere"), { are: "denied" }],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });

  it("has a message that names the field, the object and the fix", () => {
    expect(resolve(groupBelow("none"))).toMatchObject({
      message:
        "spec.parentRef: Group none does not exist in namespace team. Create it, and this object continues. If the name is wrong, delete this object and create it with the right one: the field is immutable.",
    });
  });

  it("does not disclose whether an object exists in another namespace", () => {
    const there = resolve(groupBelow("shop", "others"));
    const notThere = resolve(groupBelow("shop", "others"), { find: () => undefined });
    expect(there).toEqual(notThere);
    expect(there).toMatchObject({ are: "waiting", reason: "ReferenceNotGranted" });
  });
});

describe("the object that a reference names", () => {
  const below = (name: string, status?: Status) => ({
    ...groupBelow(name),
    ...(status === undefined ? {} : { status }),
  });
  const inUse = { observedGeneration: 1, uid, parentUid: parent };
  it.each<[string, Resource, object]>([
    ["is not used in Conflict", below("conflict"), { are: "waiting", reason: "ReferenceNotReady" }],
    ["is not used while its breaker is open", below("held"), { are: "waiting", reason: "ReferenceNotReady" }],
    ["is used if it is a paused group", below("paused"), { are: "resolved" }],
    ["is used if it is a group and the platform is away", below("interrupted"), { are: "resolved" }],
    [
      "is not used below another group than its parent",
      below("moved"),
      { are: "waiting", reason: "ReferenceNotReady" },
    ],
    [
      "is not used below a parent that does not exist",
      below("below-new"),
      { are: "waiting", reason: "ReferenceNotReady" },
    ],
    [
      "is used below its present parent",
      below("below-shop"),
      { are: "resolved", uids: { parent: `${parent}/6666666666666666` } },
    ],
    [
      "is not used if the group above its parent changed",
      below("two-below-moved"),
      { are: "waiting", reason: "ReferenceNotReady" },
    ],
    [
      "is not used for something new while a group above it is being deleted, although its status still says Ready",
      below("below-terminating"),
      { are: "waiting", reason: "ReferenceNotReady" },
    ],
    [
      "remains in use while a group above it is being deleted",
      below("below-terminating", { ...inUse, parentUid: `${parent}/6666666666666666` }),
      { are: "resolved" },
    ],
    ["is used if it is an observed root group", below("observed-root"), { are: "resolved", uids: { parent: root } }],
    ["remains in use below another group than its parent", below("moved", inUse), { are: "resolved" }],
    ["remains in use while it is not Ready", below("held", inUse), { are: "resolved" }],
    ["does not remain in use in Conflict", below("conflict", inUse), { are: "waiting", reason: "ReferenceNotReady" }],
    ["is resolved while the group is edited", below("edited"), { are: "resolved" }],
    [
      "is resolved for an object that is being deleted",
      { ...below("conflict"), metadata: { ...groupResource().metadata, ...terminating } },
      { are: "resolved" },
    ],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });

  it.each<[string, string, Status | undefined, object]>([
    ["of an Identity must be Ready", "interrupted", undefined, { are: "waiting", reason: "ReferenceNotReady" }],
    ["of an edited Identity must be Ready again", "edited", undefined, { reason: "ReferenceNotReady" }],
    ["of an edited Identity remains in use", "edited", { observedGeneration: 1, identityUid }, { are: "resolved" }],
    ["of an Identity remains in use", "interrupted", { observedGeneration: 1, identityUid }, { are: "resolved" }],
    ...["Conflict", "ParentChanged", "ExternalGone"].map((reason): [string, string, Status, object] => [
      `of an Identity does not remain in use: ${reason}`,
      `lost-${reason}`,
      { observedGeneration: 1, identityUid },
      { are: "waiting" },
    ]),
    [
      "of an Identity is not in use with another uid",
      "interrupted",
      { observedGeneration: 1, identityUid: uid },
      { are: "waiting" },
    ],
  ])("%s", (_, name, status, references) => {
    const { identityUid: __, ...spec } = binding({}).spec;
    expect(
      resolve({
        ...binding({}),
        spec: { ...spec, identityRef: { name } } as RoleBindingSpec,
        ...(status === undefined ? {} : { status }),
      }),
    ).toMatchObject(references);
  });

  it("of a kind that has not been read is unknown, not absent", () => {
    expect(resolve(groupBelow("none"), { isRead: () => false })).toEqual({
      are: "unreadKind",
      kind: "Group",
      path: "spec.parentRef",
    });
  });
});

describe("a cycle", () => {
  const find = (name: string) => inCluster.get(`Group team/${name}`) as Resource;
  it("of one is named", () => {
    expect(resolve(find("self"))).toEqual({
      are: "invalid",
      message:
        "spec.parentRef: Group self is its own parent. Delete it, and create it with another parent: the field is immutable.",
    });
  });

  it("of several is named, in every one of them", () => {
    expect(resolve(find("first"))).toEqual({
      are: "invalid",
      message:
        "spec.parentRef: Group first is its own ancestor: first, whose parent is second, whose parent is sibling/third, whose parent is first. Delete one of these objects, and create it with another parent: the field is immutable.",
    });
    expect(resolve(find("second"))).toMatchObject({ are: "invalid" });
  });

  it("discloses no object of another Tenant", () => {
    const onlyTeam = (namespace: string): Governance => (namespace === "team" ? governanceOf("team") : { by: "none" });
    const references = resolve(find("first"), { governanceOf: onlyTeam });
    expect(references).toMatchObject({ are: "invalid" });
    expect(JSON.stringify(references)).not.toContain("third");
    expect(JSON.stringify(references)).toContain("an object of another Tenant");
  });

  it("further up is reported by its own members", () => {
    expect(resolve(groupBelow("self"))).toMatchObject({ are: "waiting", reason: "ReferenceNotReady" });
  });
});

describe("a reference to another namespace", () => {
  it.each<[string, Resource, object]>([
    ["of the same Tenant needs no grant", groupBelow("in-sibling", "sibling"), { are: "resolved", granted: [] }],
    [
      "of the same Tenant may name what does not exist",
      groupBelow("none", "sibling"),
      { are: "waiting", reason: "ReferenceNotFound" },
    ],
    [
      "of another Tenant with a grant permits a uid outside of the groups",
      groupBelow("granted", "others"),
      { are: "resolved", uids: { parent: elsewhere }, granted: [elsewhere] },
    ],
    [
      "of another Tenant with a grant for other namespaces waits",
      groupBelow("granted-to-sibling", "others"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    [
      "that grants what its Tenant may not use waits",
      groupBelow("granted-what-it-lost", "others"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    [
      "without a Tenant waits, with a grant, too",
      groupBelow("granted-by-nobody", "ungoverned"),
      { are: "waiting", reason: "ReferenceNotGranted" },
    ],
    ["does not make the uid itself usable", groupResource({ spec: { parentUid: elsewhere } }), { are: "denied" }],
  ])("%s", (_, resource, references) => {
    expect(resolve(resource)).toMatchObject(references);
  });
});

describe("a Tenant", () => {
  const limited = (boundary: Partial<Boundary>) => ({ boundary: { ...context.boundary, ...boundary } });
  it.each<[string, Resource, Partial<ReferenceContext>, string]>([
    [
      "of other kinds",
      groupResource(),
      limited({ kinds: ["Identity"] }),
      "kind: Tenant all does not allow objects of the kind Group",
    ],
    [
      "with an issuer of identities",
      identityResource({ spec: { claimMatch: { issuer: "https://a.example", subject: "x" } } }),
      limited({ claimIssuers: [] }),
      "spec.claimMatch.issuer: ",
    ],
    [
      "with other groups denies an observed root group",
      group("other", { spec: { parentRef: undefined, parentUid: undefined, uid: otherRoot, policy: observe } }),
      {},
      `spec.uid: group ${otherRoot}`,
    ],
  ])("%s", (_, resource, more, message) => {
    expect(resolve(resource, more)).toMatchObject({ are: "denied", message: expect.stringContaining(message) });
  });

  it("does not disclose whether an identity outside of its groups is a credential", () => {
    const outside = `${otherRoot}/1111111111111111`;
    const other = binding({ identityUid: outside });
    expect(resolve(other, { isCredential: (identity) => identity === outside })).toEqual(resolve(other));
  });

  it("permits no credential to be bound, granted or not", () => {
    expect(resolve(binding({}), { isCredential: (identity) => identity === identityUid })).toMatchObject({
      are: "denied",
    });
  });
});

describe("a uid", () => {
  it.each<[string, string, string]>([
    ["of a root group may be a parent", root, "resolved"],
    ["below a root group may be a parent", parent, "resolved"],
    ["below another root may not", otherRoot, "denied"],
    ["is compared by segment, never by prefix alone", `${root}0/1111111111111111`, "denied"],
  ])("%s", (_, parentUid, are) => {
    expect(resolve(groupResource({ spec: { parentUid } }))).toMatchObject({ are });
  });
});

describe("a role binding", () => {
  const key = `${parent} ${identityUid} ${viewer.uid}`;
  it.each<[string, Partial<RoleBindingSpec>, object]>([
    ["is identified by what it binds", {}, { are: "resolved", naturalKey: key }],
    ["takes a built-in role by name", { roleRef: { name: "viewer" } }, { uids: { role: viewer.uid } }],
    ["may not bind a role that is not allowed", { roleRef: { name: "owner" } }, { are: "denied" }],
    [
      "waits for a role that does not exist",
      { roleRef: { name: "none" } },
      {
        are: "waiting",
        reason: "ReferenceNotFound",
        message: expect.stringContaining("delete this object and create it with one of viewer"),
      },
    ],
    [
      "may not bind to an identity outside the root groups",
      { identityUid: `${otherRoot}/1111111111111111` },
      { are: "denied" },
    ],
    ["may not bind to the operator's own identity", { identityUid: operatorIdentity }, { are: "denied" }],
  ])("%s", (_, spec, references) => {
    expect(resolve(binding(spec))).toMatchObject(references);
  });

  it("is not resolved before the roles have been read", () => {
    expect(resolve(binding({}), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("takes a built-in role by uid, if its name may be bound", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid = (roleUid: string) => ({ ...binding({}), spec: { ...spec, roleUid } });
    expect(resolve(byUid(viewer.uid))).toMatchObject({ are: "resolved" });
    expect(resolve(byUid(owner.uid))).toMatchObject({ are: "denied" });
    expect(
      resolve(byUid(owner.uid), { boundary: everything({ roots: [root], roles: [owner.uid], namespaces: null }) }),
    ).toMatchObject({
      are: "resolved",
    });
    expect(resolve(byUid(viewer.uid), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("does not take a custom role for the built-in role with the same name", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid: RoleBinding = { ...binding({}), spec: { ...spec, roleUid: custom } };
    expect(resolve(byUid)).toMatchObject({ are: "denied" });
  });
});

describe("a Role", () => {
  const declares = (capabilities: readonly string[]) => role("new", { spec: { capabilities } });
  const binds = (name: string, namespace?: string) =>
    binding({ roleRef: { kind: "Role", name, ...(namespace === undefined ? {} : { namespace }) } });
  const has = (...capabilities: readonly string[]) => ({ capabilitiesOf: () => capabilities });

  it("may declare the capabilities of the roles that the Tenant may bind, and no other", () => {
    expect(resolve(declares(["CAP_TAG_LIST", "CAP_REPO_LIST"]))).toMatchObject({
      are: "resolved",
      desired: { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
    });
    expect(resolve(declares(["CAP_REPO_LIST", "CAP_REPO_DELETE"]))).toEqual({
      are: "denied",
      message:
        "spec.capabilities: Tenant all does not allow CAP_REPO_DELETE: none of the roles in its spec.roles has it, where roles of Role objects do not count. Remove it from the role, or ask an administrator to add a role that has it to spec.roles of the Tenant, and to the operator's setting --allowed-role.",
    });
    expect(resolve(declares(["CAP_REPO_LIST"]), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("may not declare a capability that no role has, and learns which one was probably meant", () => {
    expect(resolve(declares(["CAP_REPO_DELETE", "CAP_REPO_LISTS", "CAP_TAG_LIST"]))).toEqual({
      are: "denied",
      message: "spec.capabilities: no role of the platform has CAP_REPO_LISTS. Did you mean CAP_REPO_LIST?",
    });
    expect(resolve(declares(["CAP_A", "CAP_B"]))).toMatchObject({
      message: "spec.capabilities: no role of the platform has CAP_A, CAP_B. Correct the name.",
    });
  });

  it.each([
    ["says how to name the built-in role with that name", "viewer", true],
    ["is silent about a built-in role that the Tenant does not list", "owner", false],
    ["is silent where there is none", "reader", false],
  ])("that does not exist %s", (_, name, isMeant) => {
    const fix = "If you mean the built-in role viewer, create it with only spec.roleRef.name, without kind.";
    const found = resolve(binds(name));
    expect(found).toMatchObject({ are: "waiting", reason: "ReferenceNotFound" });
    expect("message" in found && found.message.endsWith(`with the right one: the field is immutable. ${fix}`)).toBe(
      isMeant,
    );
  });

  it("may be bound unlisted while what it has on the platform is permitted", () => {
    expect(resolve(binds("scanner"), has("CAP_REPO_LIST"))).toMatchObject({ are: "resolved", uids: { role: custom } });
    expect(resolve(binds("scanner"), has("CAP_REPO_LIST", "CAP_REPO_DELETE"))).toMatchObject({
      are: "denied",
      message: expect.stringContaining("spec.roleRef: Tenant all does not allow CAP_REPO_DELETE"),
    });
    expect(resolve(binds("scanner"), { roles: undefined })).toEqual({ are: "unread" });
  });

  it("is not bound by its uid unless the Tenant lists that", () => {
    const { roleRef: _, ...spec } = binding({}).spec;
    const byUid = { ...binding({}), spec: { ...spec, roleUid: custom } };
    expect(resolve(byUid, has("CAP_REPO_LIST"))).toMatchObject({ are: "denied" });
  });

  it("is not bound for the first time while it is not Ready", () => {
    expect(resolve(binds("drifting"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotReady" });
    expect(resolve(binds("edited"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotReady" });
  });

  it("of another Tenant is bound only if it is granted, and then within the limits of this Tenant", () => {
    expect(resolve(binds("secret", "others"), has("CAP_REPO_LIST"))).toMatchObject({ reason: "ReferenceNotGranted" });
    expect(resolve(binds("granted", "others"), has("CAP_REPO_LIST"))).toMatchObject({ uids: { role: foreignRole } });
    expect(resolve(binds("granted", "others"), has("CAP_REPO_DELETE"))).toMatchObject({ are: "denied" });
  });

  it("is not what the name of a built-in role means", () => {
    expect(resolve(binding({ roleRef: { name: "scanner" } }))).toMatchObject({ reason: "ReferenceNotFound" });
    expect(resolve(binds("viewer"))).toMatchObject({ reason: "ReferenceNotFound" });
  });
});

it("takes the issuer of the cluster and the namespace of the object for a service account", () => {
  expect(resolve(identityResource({ spec: { serviceAccountRef: { name: "ci" } } }))).toMatchObject({
    desired: { claimMatch: { issuer: "https://issuer.example", subject: "system:serviceaccount:team:ci" } },
  });
});
