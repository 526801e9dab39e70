import type { Resource } from "#src/api/custom-resource.ts";
import type { RoleBinding, RoleBindingSpec } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import {
  bindingResource,
  groupResource,
  kindOf,
  marker,
  otherRoot,
  parent,
  root,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { everything } from "#src/reconcile/tenancy/boundary.testing.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { References } from "./observed.ts";
import { type ReferenceContext, resolveReferences } from "./references.ts";

/**
 * For tests of references: objects in a cluster with two Tenants. Tenant `all` governs the namespaces `team` and `sibling`
 * and may use the groups below `root`; Tenant `others` governs the namespace `others` and may use those below `otherRoot`.
 * Nobody governs the namespace `ungoverned`. Both Tenants may bind the built-in role `viewer`.
 */

export const viewer: ExternalRole = {
  uid: "c".repeat(40),
  name: "viewer",
  capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
};
/** A built-in role that no Tenant may bind. */
export const owner: ExternalRole = { uid: "d".repeat(40), name: "owner", capabilities: ["CAP_REPO_DELETE"] };
/** The uid of a custom role that has the name of the built-in role `viewer`. */
export const custom = `${parent}/5555555555555555`;
export const identityUid = `${parent}/4444444444444444`;
/** The uid of a group in which only Tenant `others` may act. */
export const elsewhere = `${otherRoot}/1111111111111111`;
/** The operator's own identity. */
export const operatorIdentity = `${root}/0000000000000001`;

const time = "2026-01-01T00:00:00Z";
/** The metadata of an object that is being deleted. */
export const terminating = { deletionTimestamp: time };

/** The status of an object that exists on the platform with this uid, by default Ready. */
export function recorded(uid: string, reason = "Available"): Status {
  const status = reason === "Available" ? "True" : reason === "Paused" ? "Unknown" : "False";
  return {
    observedGeneration: 1,
    uid,
    parentUid: uid.slice(0, uid.lastIndexOf("/")),
    conditions: [{ type: "Ready", status, reason, message: reason, observedGeneration: 1, lastTransitionTime: time }],
  };
}

interface ObjectParts {
  readonly spec?: object;
  readonly metadata?: object;
  readonly status?: Status;
}

/** A Group object in the namespace `team` and below `root`, unless the parts say otherwise. */
export function group(name: string, { spec = {}, metadata = {}, status }: ObjectParts = {}): Resource {
  const base = groupResource(status === undefined ? {} : { status });
  const { parentUid: _, ...others } = base.spec;
  return {
    ...base,
    metadata: { ...base.metadata, name, ...metadata },
    spec: { ...others, ...("parentRef" in spec ? {} : { parentUid: root }), ...spec },
  };
}

/** A Group object whose parent is the Group object `name`, by default in its own namespace. */
export function groupBelow(name: string, namespace?: string): Resource {
  return group("payments", { spec: { parentRef: { name, ...(namespace === undefined ? {} : { namespace }) } } });
}

/** A Role object in the namespace `team` and the group `parent`, unless the parts say otherwise. */
export function role(name: string, { spec = {}, metadata = {}, status }: ObjectParts = {}): Resource {
  const base = groupResource(status === undefined ? {} : { status });
  const own = { groupUid: parent, capabilities: ["CAP_REPO_LIST"], policy: base.spec.policy, ...spec };
  return { ...base, kind: "Role", metadata: { ...base.metadata, name, ...metadata }, spec: own };
}

/** A RoleBinding that binds `viewer` to the identity `identityUid`, unless `spec` says otherwise. */
export function binding(spec: Partial<RoleBindingSpec> = {}): RoleBinding {
  return bindingResource({ spec: { identityUid, roleRef: { name: "viewer" }, ...spec } });
}

/** The same with the role given by its uid. */
export function bindingOf(roleUid: string): RoleBinding {
  const { roleRef: _, ...spec } = binding().spec;
  return { ...binding(), spec: { ...spec, roleUid } };
}

export function governanceOf(namespace: string): Governance {
  if (namespace === "ungoverned") return { by: "none" };
  const name = namespace === "others" ? "others" : "all";
  const boundary = everything({ roots: [name === "others" ? otherRoot : root], roles: ["viewer"], namespaces: null });
  return { by: "tenant", serves: "everything", context: { name, boundary } as TenantContext };
}

/** What the references of an object of Tenant `all` are resolved from, in a cluster without objects. */
export const context: ReferenceContext = {
  kinds,
  tenant: "all",
  governanceOf,
  isRead: () => true,
  publicIssuers: [],
  find: () => undefined,
  withUid: () => [],
  uidByMarker: () => undefined,
  roles: {
    byName: new Map([
      ["viewer", viewer],
      ["owner", owner],
    ]),
    byUid: new Map([
      [viewer.uid, viewer],
      [owner.uid, owner],
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

/** Resolves the references of an object in `context`, of which `more` replaces parts. */
export type Resolve = (resource: Resource, more?: Partial<ReferenceContext>) => References;

/** Resolves references in a cluster that has these objects. */
export function resolverAmong(objects: readonly Resource[]): Resolve {
  const byKey = new Map(objects.map((one) => [`${one.kind} ${one.metadata.namespace}/${one.metadata.name}`, one]));
  return (resource, more = {}) =>
    resolveReferences(kindOf({ resource }), resource, {
      ...context,
      find: (kind, key) => byKey.get(`${kind} ${key}`),
      withUid: (kind, uid) => objects.filter((one) => one.kind === kind && one.status?.uid === uid),
      ...more,
    });
}
