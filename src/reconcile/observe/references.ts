import type { Resource } from "#src/api/resource.ts";
import type { Kind, ReferenceField, ReferenceRole } from "#src/kinds/kind.ts";
import type { RoleCatalog } from "#src/platform-client/permissions.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type Boundary, permitsIdentity, permitsParent, permitsRole } from "#src/reconcile/tenancy/boundary.ts";
import { bindingKey } from "./natural-key.ts";
import type { References } from "./observed.ts";

export interface ReferenceContext {
  /** The custom resource of this kind, namespace and name. */
  readonly find: (kind: string, key: string) => Resource | undefined;
  /** Undefined until roles have been read. */
  readonly roles: RoleCatalog | undefined;
  readonly boundary: Boundary;
  /** The operator's own identity on the platform: nobody binds roles to it from within the cluster. */
  readonly operatorIdentity: string;
  readonly serviceAccountIssuer: string;
  readonly marker: string;
}

type Found = { readonly uid: string } | Exclude<References, { are: "resolved" }>;

/** Finds what a resource refers to, and judges whether it may be used. */
export function resolveReferences(kind: Kind, resource: Resource, context: ReferenceContext): References {
  const uids: Partial<Record<ReferenceRole, string>> = {};
  for (const field of kind.references(resource)) {
    const found = find(field, resource, context);
    if ("are" in found) return found;
    const denial = judge(field, found.uid, context);
    if (denial !== undefined) return denial;
    uids[field.role] = found.uid;
  }
  const parent = uids.parent ?? "";
  const desired = kind.desired(resource, uids, { serviceAccountIssuer: context.serviceAccountIssuer });
  const naturalKey = kind.marked ? context.marker : bindingKey(parent, uids.identity ?? "", uids.role ?? "");
  return { are: "resolved", uids: { ...uids, parent }, desired, naturalKey };
}

function find(field: ReferenceField, resource: Resource, context: ReferenceContext): Found {
  const { target, path } = field;
  switch (target.by) {
    case "uid":
      // A built-in role's name has to be known to judge whether it may be bound.
      return field.role === "role" && parentOf(target.uid) === undefined && context.roles === undefined
        ? { are: "unread" }
        : { uid: target.uid };
    case "roleName":
      return findRole(path, target.name, context);
    case "resource": {
      const namespace = target.reference.namespace ?? resource.metadata.namespace;
      if (namespace !== resource.metadata.namespace)
        return waiting(
          "ReferenceNotGranted",
          `${path}: references to another namespace need a grant there, and there are no grants yet. Name the group by its uid, or keep both in one namespace.`,
        );
      const name = `${target.kind} ${target.reference.name}`;
      const found = context.find(target.kind, `${namespace}/${target.reference.name}`);
      if (found === undefined)
        return waiting(
          "ReferenceNotFound",
          `${path}: there is no ${name} in namespace ${namespace}. Create it; this object goes on by itself then.`,
        );
      // Of one that is going away itself it is enough to know what it stood for.
      if (found.metadata.deletionTimestamp !== undefined && resource.metadata.deletionTimestamp === undefined)
        return { ...waiting("ReferenceNotReady", `${path}: ${name} is being deleted.`), leaving: true };
      if (found.status?.uid === undefined)
        return waiting(
          "ReferenceNotReady",
          `${path}: ${name} does not exist on the platform yet; its status says why.`,
        );
      return { uid: found.status.uid };
    }
  }
}

function findRole(path: string, name: string, { roles, boundary }: ReferenceContext): Found {
  if (roles === undefined) return { are: "unread" };
  const role = roles.byName.get(name);
  if (role !== undefined) return { uid: role.uid };
  // The names that may be bound are no secret; those that may not are not told.
  const known = boundary.roles.filter((one) => roles.byName.has(one));
  return waiting(
    "ReferenceNotFound",
    `${path}: the platform has no built-in role named "${name}". Those that may be bound are: ${known.join(", ") || "none"}.`,
  );
}

function judge(
  { role, path }: ReferenceField,
  uid: string,
  { boundary, roles, operatorIdentity }: ReferenceContext,
): References | undefined {
  switch (role) {
    case "parent":
      return permitsParent(boundary, uid)
        ? undefined
        : denied(`${path}: group ${uid} is not in a root group that the operator may use (its setting --root-group).`);
    case "identity":
      if (uid === operatorIdentity)
        return denied(`${path}: identity ${uid} is the operator's own; its role bindings are never managed.`);
      return permitsIdentity(boundary, uid)
        ? undefined
        : denied(
            `${path}: identity ${uid} is not below a root group that the operator may use (its setting --root-group).`,
          );
    case "role": {
      const builtIn = parentOf(uid) === undefined ? roles?.byUid.get(uid) : undefined;
      if (permitsRole(boundary, uid, builtIn)) return undefined;
      return denied(
        `${path}: the role ${builtIn?.name ?? uid} may not be bound here. Those that may are: ${boundary.roles.join(", ")} (the operator's setting --allowed-role).`,
      );
    }
  }
}

type Waiting = Extract<References, { are: "waiting" }>;

function waiting(reason: Waiting["reason"], message: string): Waiting {
  return { are: "waiting", reason, message };
}

function denied(message: string): References {
  return { are: "denied", message };
}
