import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { groups } from "../collections/groups.ts";
import { identities } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { roles } from "../collections/roles.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { isRoot, isUid, newUidIn, parentOf } from "../contract/uid.ts";
import { type ApiError, alreadyExists, invalidArgument, notFound } from "../errors/api-error.ts";
import {
  BatchCreateRoleBindingsResponseSchema,
  ListRoleBindingsRequestSchema,
  ListRoleBindingsResponseSchema,
  type RoleBinding,
  RoleBindingIdentitySchema,
  RoleBindingRoleSchema,
  RoleBindingSchema,
  RoleBindingsService,
} from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { listPage } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkResourceType } from "../handlers/resource-type.ts";
import type { Collection } from "../resources/collection.ts";
import type { Condition } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Session, Sessions, WriteSession } from "../service/session.ts";
import { settleAll } from "../store/settle-all.ts";
import { hasEqualBinding, hydrate } from "./role-binding-rows.ts";
import { canReadRole, roleToGrant } from "./role-to-grant.ts";

const maximumBatch = 25;

export function roleBindingsService(sessions: Sessions): Service {
  return implement(RoleBindingsService, {
    listRoleBindings: (request, call) =>
      sessions.read(call, async (session) => {
        const conditions = [
          ...(await uidIs(session, "identity", "identity_uid", request.identity, identities)),
          ...(await uidIs(session, "group", "parent", request.group, groups)),
          ...(await uidIs(session, "role", "role_uid", request.role, roles)),
        ];
        const { items, ...page } = await listPage(session, roleBindings, {
          schema: ListRoleBindingsRequestSchema,
          request,
          conditions,
        });
        return create(ListRoleBindingsResponseSchema, { roleBindings: await hydrate(session.tx, items), ...page });
      }),

    getRoleBinding: ({ uid }, call) =>
      sessions.read(call, async (session) => {
        const capability = Capability.CAP_IAM_ROLE_BINDINGS_LIST;
        return shown(session, await permittedResource(session, roleBindings, capability, uid));
      }),

    createRoleBinding: ({ parent, roleBinding = create(RoleBindingSchema) }, call) =>
      sessions.write(call, async (session) => {
        const created = await checkedBinding(session, { parent, binding: roleBinding });
        await roleBindings.insert(session.tx, created);
        return shownToWriter(session, created);
      }),

    updateRoleBinding: ({ roleBinding = create(RoleBindingSchema), updateMask }, call) =>
      sessions.write(call, async (session) => {
        const capability = Capability.CAP_IAM_ROLE_BINDINGS_UPDATE;
        const current = await permittedResource(session, roleBindings, capability, roleBinding.uid);
        const mask = readMask(RoleBindingSchema, updateMask?.paths ?? [], roleBinding);
        const updated = applyMask(RoleBindingSchema, current, roleBinding, mask);
        await checkBinding(session, updated);
        await roleBindings.update(session.tx, updated);
        return shownToWriter(session, updated);
      }),

    deleteRoleBinding: ({ uid }, call) =>
      sessions.write(call, async (session) => {
        await deleteBinding(session, uid);
        return create(EmptySchema);
      }),

    batchCreateRoleBindings: ({ parent, requests, roleUid }, call) =>
      sessions.write(call, async (session) => {
        if (requests.length === 0 || requests.length > maximumBatch)
          throw invalidArgument("requests", `must have 1 to ${maximumBatch} items`);
        if (parent !== "" && !isUid(parent)) throw invalidArgument("parent", "must be a uid");
        const bindings = requests.map((request, index) => {
          if (parent === "" && !isUid(request.parent))
            throw invalidArgument(
              request.parent === "" ? "parent" : `requests[${index}].parent`,
              "must be the uid of a group",
            );
          if (parent !== "" && request.parent !== "" && request.parent !== parent)
            throw invalidArgument(`requests[${index}].parent`, "must be the parent of the batch, or empty");
          const binding = request.roleBinding ?? create(RoleBindingSchema);
          if (binding.roleUid === "") binding.roleUid = roleUid;
          else if (roleUid !== "" && binding.roleUid !== roleUid)
            throw invalidArgument(
              `requests[${index}].roleBinding.roleUid`,
              "must be the roleUid of the batch, or empty",
            );
          return { parent: request.parent === "" ? parent : request.parent, binding };
        });
        const created = await createBindings(session, bindings);
        const hydrated = await hydrate(session.tx, created);
        return create(BatchCreateRoleBindingsResponseSchema, {
          roleBindings: hydrated.map((binding) => withoutHidden(session, binding)),
        });
      }),
  });
}

interface NewBinding {
  readonly parent: string;
  readonly binding: RoleBinding;
}

/** Creates all of them, or none. Their statements are sent together. @throws ApiError of the first that may not be created */
async function createBindings(session: WriteSession, bindings: readonly NewBinding[]): Promise<RoleBinding[]> {
  const created = await settleAll(bindings.map((one) => checkedBinding(session, one)));
  const grants = created.map(({ uid, identityUid, roleUid }) => [parentOf(uid), identityUid, roleUid].join());
  if (session.settings.uniqueNames && new Set(grants).size < grants.length) throw equalBinding();
  await settleAll(created.map((binding) => roleBindings.insert(session.tx, binding)));
  return created;
}

/** @returns the binding that may be created */
async function checkedBinding(session: WriteSession, { parent, binding }: NewBinding): Promise<RoleBinding> {
  await permittedParent(session, Capability.CAP_IAM_ROLE_BINDINGS_CREATE, parent);
  const set = { uid: newUidIn(parent), createTime: timestampFromMs(session.now) };
  const created = newResource(RoleBindingSchema, binding, set);
  await checkBinding(session, created);
  return created;
}

/** A caller can grant only what it holds, and only to an identity that it can see. */
async function checkBinding(session: WriteSession, binding: RoleBinding): Promise<void> {
  const { uid, identityUid, roleUid } = binding;
  if (identityUid === "") throw invalidArgument("identityUid", "is required");
  if (!isUid(identityUid) || isRoot(identityUid))
    throw invalidArgument("identityUid", "must be the uid of an identity");
  const identity = await identities.find(session.tx, identityUid);
  if (identity === undefined || !session.access.sees(identityUid)) {
    await checkResourceType(session, "identityUid", [identityUid], [identities]);
    throw notFound("identity", identityUid);
  }
  await roleToGrant(session, "roleUid", roleUid, parentOf(uid) ?? "");
  if (session.settings.uniqueNames && (await hasEqualBinding(session.tx, binding))) throw equalBinding();
}

function equalBinding(): ApiError {
  return alreadyExists("the identity already has this role in this group");
}

/**
 * Succeeds for a binding that does not exist, if the caller holds the capability on its parent. The uid can be that of a group in
 * which the caller has more than in the group above it: that does not count.
 */
async function deleteBinding(session: WriteSession, uid: string): Promise<void> {
  const capability = Capability.CAP_IAM_ROLE_BINDINGS_DELETE;
  const group = isUid(uid) ? parentOf(uid) : undefined;
  // Before the binding is read, so that the error does not show whether it exists.
  if (group === undefined || !session.access.sees(group)) throw notFound("role binding", uid);
  session.access.require(capability, uid, "role binding");
  session.access.require(capability, group, "group");
  if ((await roleBindings.find(session.tx, uid)) === undefined) return;
  await permittedResource(session, roleBindings, capability, uid);
  await roleBindings.delete(session.tx, uid);
}

async function shown({ tx }: Session, binding: RoleBinding): Promise<RoleBinding> {
  const [hydrated] = await hydrate(tx, [binding]);
  return hydrated ?? binding;
}

/** A binding that the caller created or changed, without what the caller could not Get. */
async function shownToWriter(session: Session, binding: RoleBinding): Promise<RoleBinding> {
  return withoutHidden(session, await shown(session, binding));
}

/** Reduces identity and role to their uids for a caller that can read neither them nor the binding. */
function withoutHidden({ access }: Session, binding: RoleBinding): RoleBinding {
  const { uid, identity, role } = binding;
  if (access.can(Capability.CAP_IAM_ROLE_BINDINGS_LIST, uid)) return binding;
  if (identity !== undefined && !access.can(Capability.CAP_IAM_IDENTITY_LIST, identity.uid))
    binding.identity = create(RoleBindingIdentitySchema, { uid: identity.uid });
  if (role !== undefined && !canReadRole(access, role.uid))
    binding.role = create(RoleBindingRoleSchema, { uid: role.uid });
  return binding;
}

/** A filter by uid. @throws ApiError (3) if the uid is malformed or names another type of resource */
async function uidIs(
  session: Session,
  field: string,
  column: "identity_uid" | "role_uid" | "parent",
  uid: string,
  collection: Collection,
): Promise<Condition<"role_bindings">[]> {
  if (uid === "") return [];
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
  await checkResourceType(session, field, [uid], [collection]);
  return [(row) => row(column, "=", uid)];
}
