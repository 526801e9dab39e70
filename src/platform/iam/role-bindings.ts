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
import type { Transaction, Transactions, WriteTransaction } from "../service/transaction.ts";
import { settleAll } from "../store/settle-all.ts";
import { hasEqualBinding, hydrate } from "./role-binding-rows.ts";
import { canReadRole, roleToGrant } from "./role-to-grant.ts";

const maximumBatch = 25;

export function roleBindingsService(transactions: Transactions): Service {
  return implement(RoleBindingsService, {
    listRoleBindings: (request, call) =>
      transactions.read(call, async (transaction) => {
        const conditions = [
          ...(await uidIs(transaction, "identity", "identity_uid", request.identity, identities)),
          ...(await uidIs(transaction, "group", "parent", request.group, groups)),
          ...(await uidIs(transaction, "role", "role_uid", request.role, roles)),
        ];
        const { items, ...page } = await listPage(transaction, roleBindings, {
          schema: ListRoleBindingsRequestSchema,
          request,
          conditions,
        });
        return create(ListRoleBindingsResponseSchema, { roleBindings: await hydrate(transaction.tx, items), ...page });
      }),

    getRoleBinding: ({ uid }, call) =>
      transactions.read(call, async (transaction) => {
        const capability = Capability.CAP_IAM_ROLE_BINDINGS_LIST;
        return shown(transaction, await permittedResource(transaction, roleBindings, capability, uid));
      }),

    createRoleBinding: ({ parent, roleBinding = create(RoleBindingSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        const created = await checkedBinding(transaction, { parent, binding: roleBinding });
        await roleBindings.insert(transaction.tx, created);
        return shownToWriter(transaction, created);
      }),

    updateRoleBinding: ({ roleBinding = create(RoleBindingSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        const capability = Capability.CAP_IAM_ROLE_BINDINGS_UPDATE;
        const current = await permittedResource(transaction, roleBindings, capability, roleBinding.uid);
        const mask = readMask(RoleBindingSchema, updateMask?.paths ?? [], roleBinding);
        const updated = applyMask(RoleBindingSchema, current, roleBinding, mask);
        await checkBinding(transaction, updated);
        await roleBindings.update(transaction.tx, updated);
        return shownToWriter(transaction, updated);
      }),

    deleteRoleBinding: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        await deleteBinding(transaction, uid);
        return create(EmptySchema);
      }),

    batchCreateRoleBindings: ({ parent, requests, roleUid }, call) =>
      transactions.write(call, async (transaction) => {
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
        const created = await createBindings(transaction, bindings);
        const hydrated = await hydrate(transaction.tx, created);
        return create(BatchCreateRoleBindingsResponseSchema, {
          roleBindings: hydrated.map((binding) => withoutHidden(transaction, binding)),
        });
      }),
  });
}

interface NewBinding {
  readonly parent: string;
  readonly binding: RoleBinding;
}

/** Creates all of them, or none. Their statements are sent together. @throws ApiError of the first that may not be created */
async function createBindings(transaction: WriteTransaction, bindings: readonly NewBinding[]): Promise<RoleBinding[]> {
  const created = await settleAll(bindings.map((one) => checkedBinding(transaction, one)));
  const grants = created.map(({ uid, identityUid, roleUid }) => [parentOf(uid), identityUid, roleUid].join());
  if (transaction.settings.uniqueNames && new Set(grants).size < grants.length) throw equalBinding();
  await settleAll(created.map((binding) => roleBindings.insert(transaction.tx, binding)));
  return created;
}

/** @returns the binding that may be created */
async function checkedBinding(transaction: WriteTransaction, { parent, binding }: NewBinding): Promise<RoleBinding> {
  await permittedParent(transaction, Capability.CAP_IAM_ROLE_BINDINGS_CREATE, parent);
  const set = { uid: newUidIn(parent), createTime: timestampFromMs(transaction.now) };
  const created = newResource(RoleBindingSchema, binding, set);
  await checkBinding(transaction, created);
  return created;
}

/** A caller can grant only what it holds, and only to an identity that it can see. */
async function checkBinding(transaction: WriteTransaction, binding: RoleBinding): Promise<void> {
  const { uid, identityUid, roleUid } = binding;
  if (identityUid === "") throw invalidArgument("identityUid", "is required");
  if (!isUid(identityUid) || isRoot(identityUid))
    throw invalidArgument("identityUid", "must be the uid of an identity");
  const identity = await identities.find(transaction.tx, identityUid);
  if (identity === undefined || !transaction.access.sees(identityUid)) {
    await checkResourceType(transaction, "identityUid", [identityUid], [identities]);
    throw notFound("identity", identityUid);
  }
  await roleToGrant(transaction, "roleUid", roleUid, parentOf(uid) ?? "");
  if (transaction.settings.uniqueNames && (await hasEqualBinding(transaction.tx, binding))) throw equalBinding();
}

function equalBinding(): ApiError {
  return alreadyExists("the identity already has this role in this group");
}

/**
 * Succeeds for a binding that does not exist, if the caller holds the capability on its parent. The uid can be that of a group in
 * which the caller has more than in the group above it: that does not count.
 */
async function deleteBinding(transaction: WriteTransaction, uid: string): Promise<void> {
  const capability = Capability.CAP_IAM_ROLE_BINDINGS_DELETE;
  const group = isUid(uid) ? parentOf(uid) : undefined;
  // Before the binding is read, so that the error does not show whether it exists.
  if (group === undefined || !transaction.access.sees(group)) throw notFound("role binding", uid);
  transaction.access.require(capability, uid, "role binding");
  transaction.access.require(capability, group, "group");
  if ((await roleBindings.find(transaction.tx, uid)) === undefined) return;
  await permittedResource(transaction, roleBindings, capability, uid);
  await roleBindings.delete(transaction.tx, uid);
}

async function shown({ tx }: Transaction, binding: RoleBinding): Promise<RoleBinding> {
  const [hydrated] = await hydrate(tx, [binding]);
  return hydrated ?? binding;
}

/** A binding that the caller created or changed, without what the caller could not Get. */
async function shownToWriter(transaction: Transaction, binding: RoleBinding): Promise<RoleBinding> {
  return withoutHidden(transaction, await shown(transaction, binding));
}

/** Reduces identity and role to their uids for a caller that can read neither them nor the binding. */
function withoutHidden({ access }: Transaction, binding: RoleBinding): RoleBinding {
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
  transaction: Transaction,
  field: string,
  column: "identity_uid" | "role_uid" | "parent",
  uid: string,
  collection: Collection,
): Promise<Condition<"role_bindings">[]> {
  if (uid === "") return [];
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
  await checkResourceType(transaction, field, [uid], [collection]);
  return [(row) => row(column, "=", uid)];
}
