import type { Resource } from "#src/api/custom-resource.ts";
import type { Reference } from "#src/api/reference.ts";
import type { Kind, ReferenceField, ReferenceRole } from "#src/kinds/kind.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type Boundary, permitsResource, permitsParent, permitsRole } from "#src/reconcile/tenancy/boundary.ts";
import type { References } from "./observed.ts";

export interface ReferenceContext {
  /** The custom resource at `namespace/name`. */
  readonly find: (kind: string, key: string) => Resource | undefined;
  /** Whether the objects of a kind have been read, so that one that is not found does not exist. */
  readonly isRead: (kind: string) => boolean;
  /** Undefined until the roles have been read. */
  readonly roles: RoleCatalog | undefined;
  readonly boundary: Boundary;
  /** The identities that are used as credentials. No object may bind a role to them. */
  readonly credentialIdentities: ReadonlySet<string>;
  readonly serviceAccountIssuer: string;
  readonly marker: string;
}

type Found = { readonly uid: string } | Exclude<References, { are: "resolved" }>;

/** Resolves the references in a spec, and checks that the object may use what they refer to. The first problem counts. */
export function resolveReferences(kind: Kind, resource: Resource, context: ReferenceContext): References {
  const uids: Partial<Record<ReferenceRole, string>> = {};
  for (const field of kind.references(resource)) {
    const found = find(field, resource, context);
    if ("are" in found) return found;
    const denial = findDenial(field, found.uid, context);
    if (denial !== undefined) return denial;
    uids[field.role] = found.uid;
  }
  const resolved = { ...uids, parent: uids.parent ?? "" };
  const desired = kind.desired(resource, resolved, { serviceAccountIssuer: context.serviceAccountIssuer });
  return { are: "resolved", uids: resolved, desired, naturalKey: kind.naturalKey(resolved, context.marker) };
}

function find(field: ReferenceField, resource: Resource, context: ReferenceContext): Found {
  const { target, path } = field;
  switch (target.by) {
    case "uid":
      // Whether a built-in role may be bound depends on its name, too.
      return field.role === "role" && parentOf(target.uid) === undefined && context.roles === undefined
        ? { are: "unread" }
        : { uid: target.uid };
    case "roleName":
      return findRole(path, target.name, context);
    case "resource":
      return findObject(path, target.kind, target.reference, resource, context);
  }
}

function findObject(
  path: string,
  kind: string,
  reference: Reference,
  { metadata }: Resource,
  context: ReferenceContext,
): Found {
  const namespace = reference.namespace ?? metadata.namespace;
  if (namespace !== metadata.namespace)
    return waiting(
      "ReferenceNotGranted",
      `${path}: references to other namespaces are not supported yet. Name the resource by its uid on the platform, or keep both objects in one namespace.`,
    );
  const name = `${kind} ${reference.name}`;
  const found = context.find(kind, `${namespace}/${reference.name}`);
  if (!context.isRead(kind)) return { are: "unreadKind", kind, path };
  if (found === undefined)
    return waiting(
      "ReferenceNotFound",
      `${path}: ${name} does not exist in namespace ${namespace}. Create it, and this object continues. If the name is wrong, delete this object and create it with the right one: the field is immutable.`,
    );
  // An object that is being deleted needs only the uid of another one that is, too.
  if (found.metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp === undefined)
    return {
      ...waiting("ReferenceNotReady", `${path}: ${name} is being deleted. Create it again, or delete this object.`),
      deleting: true,
    };
  if (found.status?.uid === undefined)
    return waiting(
      "ReferenceNotReady",
      `${path}: ${name} does not exist on the platform yet. This object continues when it does; if that takes long, read the status of ${name}.`,
    );
  return { uid: found.status.uid };
}

function findRole(path: string, name: string, { roles, boundary }: ReferenceContext): Found {
  if (roles === undefined) return { are: "unread" };
  const role = roles.byName.get(name);
  if (role !== undefined) return { uid: role.uid };
  // The roles that may be bound are public here; the others are not named.
  const known = boundary.roles.filter((one) => roles.byName.has(one));
  return waiting(
    "ReferenceNotFound",
    `${path}: the platform has no built-in role named "${name}". The operator is allowed to bind: ${known.join(", ") || "none"}.`,
  );
}

/** Why the object may not use the uid that a reference resolved to. */
function findDenial(
  { role, path }: ReferenceField,
  uid: string,
  { boundary, roles, credentialIdentities }: ReferenceContext,
): References | undefined {
  switch (role) {
    case "parent":
      return permitsParent(boundary, uid) ? undefined : denied(outsideRoots(path, `group ${uid}`));
    case "identity":
      if (credentialIdentities.has(uid))
        return denied(
          `${path}: identity ${uid} is the operator's own, whose role bindings Muster never manages. Use another identity.`,
        );
      return permitsResource(boundary, uid) ? undefined : denied(outsideRoots(path, `identity ${uid}`));
    case "role": {
      const builtIn = parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
      if (permitsRole(boundary, uid, builtIn)) return undefined;
      return denied(
        `${path}: the operator is not allowed to bind the role ${builtIn?.name ?? uid}. Use one of ${boundary.roles.join(", ")}, or ask an administrator to add it to the operator's setting --allowed-role.`,
      );
    }
  }
}

function outsideRoots(path: string, resource: string): string {
  return `${path}: ${resource} is outside of the operator's root groups. Use one inside, or ask an administrator to add its root group to the operator's setting --root-group.`;
}

type Waiting = Extract<References, { are: "waiting" }>;

function waiting(reason: Waiting["reason"], message: string): Waiting {
  return { are: "waiting", reason, message };
}

function denied(message: string): References {
  return { are: "denied", message };
}
