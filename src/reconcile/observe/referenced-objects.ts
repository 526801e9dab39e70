import { readyCondition } from "#src/api/condition.ts";
import type { Resource } from "#src/api/custom-resource.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Reference } from "#src/api/reference.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ReferenceField } from "#src/kinds/reference-field.ts";
import { permitsParent, permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { Governance, TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { References } from "./observed.ts";
import { findCycle, isBelowPresentParent } from "./present-parents.ts";

/**
 * Finds the object that a reference names, or through which a uid may be used, and decides whether its uid may be used.
 *
 * Guarantees:
 * - *New use* of a uid requires that the object is Ready and lies below its present parent: what each object up to the root
 *   recorded as its parent is what its own reference resolves to now. A Group may also be used while it is not Ready for a
 *   reason that leaves no doubt which group it is. Of an Identity or a Role nothing less than Ready in its present
 *   generation is enough: before that, who may assume it, or what it allows, has perhaps not been corrected yet.
 * - *Present use* (the uid that the referrer recorded) continues while the object is not Ready, so that an interruption of the
 *   platform does not rewrite everything that refers to it; but not if the object lost its claim on the resource.
 * - An object that is being deleted may refer to one whose status was lost, as after a restore, and which may be on its way out,
 *   too: then the marker says which uid that has.
 * - Of an object in a namespace of another Tenant nothing is disclosed unless it names this namespace in
 *   `spec.allowedNamespaces`: not even whether it exists.
 * - A uid that the Tenant of the referrer does not permit is used like the name of an object that has it, so that the same
 *   rules hold for both. An object that names a uid in its spec, but has not recorded it, permits nothing.
 */

/** The objects that references can name. */
export interface ReferencedObjects {
  readonly kinds: readonly Kind[];
  /** The custom resource at `namespace/name`. */
  readonly find: (kind: string, key: string) => Resource | undefined;
  /** The custom resources of a kind that recorded a uid in their status, in a stable order. */
  readonly withUid: (kind: string, uid: string) => readonly Resource[];
  /** The uid of what carries the marker of the custom resource at `namespace/name`, as far as that is known. */
  readonly uidByMarker: (kind: string, key: string) => string | undefined;
  /** Whether the objects of a kind have been read, so that one that is not found does not exist. */
  readonly isRead: (kind: string) => boolean;
  /** The name of the Tenant of the referrer. */
  readonly tenant: string;
  /** Who governs the objects in a namespace. */
  readonly governanceOf: (namespace: string) => Governance;
}

/**
 * @property through what permits the use of the uid, apart from the Tenant's own limits: nothing else, an object of the Tenant
 *   that has the uid, or one of another Tenant, which grants the use.
 */
export interface FoundUid {
  readonly uid: string;
  readonly through: "limits" | "object" | "grant";
}

export type FoundReference = FoundUid | Exclude<References, { are: "resolved" } | { are: "denied" }>;

/** Why a Group is not Ready, although the group that it recorded is without doubt its own and exists. */
const harmlessReasons: ReadonlySet<string> = new Set<Reason>([
  "Paused",
  "Updating",
  "DriftDetected",
  "QuotaExceeded",
  "PreconditionFailed",
  "PermissionDenied",
  "TokenUnavailable",
  "TokenExchangeFailed",
  "RateLimited",
  "PlatformUnavailable",
  "KubernetesForbidden",
]);
/** Why an object is not Ready that is no longer the owner of the resource that it recorded. */
const lostReasons: ReadonlySet<string> = new Set<Reason>(["Conflict", "ParentChanged", "ExternalGone"]);

export function findObject(
  field: ReferenceField,
  kind: string,
  reference: Reference,
  referrer: Resource,
  objects: ReferencedObjects,
): FoundReference {
  const { path } = field;
  const { metadata } = referrer;
  const ownNamespace = metadata.namespace ?? "";
  const namespace = reference.namespace ?? ownNamespace;
  if (!objects.isRead(kind)) return { are: "unreadKind", kind, path };
  const key = `${namespace}/${reference.name}`;
  const found = objects.find(kind, key);
  const isLast = metadata.deletionTimestamp !== undefined;
  const uid = found?.status?.uid ?? (isLast ? objects.uidByMarker(kind, key) : undefined);
  const isForeign = namespace !== ownNamespace && !governs(objects, namespace);
  if (isForeign && (found === undefined || !grants(found, uid, ownNamespace, objects)))
    return unresolved(
      "ReferenceNotGranted",
      `${path}: the use of ${nameOf(kind, reference.name, namespace, ownNamespace)} is not granted to this namespace. If it exists, its owner can add ${ownNamespace} to its spec.allowedNamespaces.`,
    );
  if (found === undefined)
    return unresolved(
      "ReferenceNotFound",
      `${path}: ${kind} ${reference.name} does not exist in namespace ${namespace}. Create it, and this object continues. If the name is wrong, delete this object and create it with the right one: the field is immutable.`,
    );
  return useOf(field, found, { uid, through: isForeign ? "grant" : "object" }, referrer, objects);
}

/**
 * Finds an object through which a uid may be used that the Tenant of the referrer does not permit. If several have it, the
 * first one counts that can be used now. A Role of the same Tenant permits the use of its uid, too: what it allows is judged.
 * Groups and Identities of the Tenant do not, because their uids have to be in its groups however they are named.
 * @returns undefined if there is none: whether an object has the uid at all is not disclosed.
 */
export function findByUid(
  field: ReferenceField,
  { kind, uid }: { readonly kind: string; readonly uid: string },
  referrer: Resource,
  objects: ReferencedObjects,
): FoundReference | undefined {
  if (!objects.isRead(kind)) return { are: "unreadKind", kind, path: field.path };
  const ownNamespace = referrer.metadata.namespace ?? "";
  let waits: FoundReference | undefined;
  for (const found of objects.withUid(kind, uid)) {
    const { namespace = "" } = found.metadata;
    const isForeign = namespace !== ownNamespace && !governs(objects, namespace);
    if (isForeign ? !grants(found, uid, ownNamespace, objects) : field.purpose !== "role") continue;
    const use = useOf(field, found, { uid, through: isForeign ? "grant" : "object" }, referrer, objects);
    if ("uid" in use) return use;
    waits ??= use;
  }
  return waits;
}

/**
 * Whether the uid of an object that the referrer may use can be used now: if the referrer is being deleted; if it uses the uid
 * already, and the object has not lost it; or if the object is Ready, and lies below its present parent.
 */
function useOf(
  { purpose, path }: ReferenceField,
  found: Resource,
  { uid, through }: { readonly uid: string | undefined; readonly through: FoundUid["through"] },
  referrer: Resource,
  objects: ReferencedObjects,
): FoundReference {
  const { namespace = "", name: objectName } = found.metadata;
  const name = nameOf(found.kind, objectName, namespace, referrer.metadata.namespace ?? "");
  const isLast = referrer.metadata.deletionTimestamp !== undefined;
  // An object that is being deleted needs only the uid of another one that is, too.
  if (found.metadata.deletionTimestamp !== undefined && !isLast)
    return {
      ...unresolved("ReferenceNotReady", `${path}: ${name} is being deleted. Create it again, or delete this object.`),
      deleting: true,
    };
  if (uid !== undefined) {
    const usable = { uid, through };
    if (isLast) return usable;
    if (usedUid(referrer, purpose) === uid && !lostReasons.has(readyCondition(found)?.reason ?? "")) return usable;
    if (isReadyFor(purpose, found) && isBelowPresentParent(found, objects)) return usable;
  }
  const cycle = findCycle(referrer, objects, (one) => governs(objects, one));
  if (cycle !== undefined) return { are: "invalid", message: `${path}: ${cycle}` };
  return unresolved(
    "ReferenceNotReady",
    uid === undefined
      ? `${path}: ${name} does not exist on the platform yet. This object continues when it does; if that takes long, read the status of ${name}.`
      : `${path}: ${name} is not Ready. This object continues when it is; if that takes long, read the status of ${name}.`,
  );
}

/** What messages call an object. */
function nameOf(kind: string, name: string, namespace: string, from: string): string {
  return `${kind} ${name}${namespace === from ? "" : ` in namespace ${namespace}`}`;
}

/** Whether the referrer's Tenant also governs `namespace`. */
function governs({ governanceOf, tenant }: ReferencedObjects, namespace: string): boolean {
  const governance = governanceOf(namespace);
  return governance.by === "tenant" && governance.context.name === tenant;
}

/**
 * Whether an object of another Tenant permits a namespace to use its uid. Only the Tenant in whose groups the uid is can
 * permit that: neither one that was narrowed, nor one to which the uid was granted itself.
 */
function grants(
  found: Resource,
  uid: string | undefined,
  namespace: string,
  { governanceOf }: ReferencedObjects,
): boolean {
  if (found.spec.allowedNamespaces?.includes(namespace) !== true) return false;
  const governance = governanceOf(found.metadata.namespace ?? "");
  return governance.by === "tenant" && (uid === undefined || mayShare(found, uid, governance.context));
}

/** Whether the Tenant of an object permits it to have the uid, so that it can permit others to use it. */
export function mayShare({ spec }: Resource, uid: string, { boundary }: Pick<TenantContext, "boundary">): boolean {
  return spec.policy.management === "Observe" ? permitsParent(boundary, uid) : permitsResource(boundary, uid);
}

/** The uid that the referrer already uses. */
function usedUid({ status }: Resource, purpose: ReferenceField["purpose"]): string | undefined {
  switch (purpose) {
    case "parent":
      return status?.parentUid;
    case "identity":
      return status?.identityUid;
    case "role":
      return status?.roleUid;
  }
}

function isReadyFor(purpose: ReferenceField["purpose"], found: Resource): boolean {
  if (purpose !== "parent") return isReadyAsItIs(found);
  const ready = readyCondition(found);
  return ready?.status === "True" || harmlessReasons.has(ready?.reason ?? "");
}

/** Whether an object is Ready, and was not edited since: before that, what the edit takes away is still on the platform. */
export function isReadyAsItIs(object: Resource): boolean {
  const ready = readyCondition(object);
  return ready?.status === "True" && ready.observedGeneration === object.metadata.generation;
}

type Waiting = Extract<References, { are: "waiting" }>;

export function unresolved(reason: Waiting["reason"], message: string): Waiting {
  return { are: "waiting", reason, message };
}
