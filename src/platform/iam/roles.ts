import { create } from "@bufbuild/protobuf";
import { EmptySchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { builtinRole } from "../authorization/builtin-roles.ts";
import { Capability, isKnown } from "../authorization/capability.ts";
import { roles } from "../collections/roles.ts";
import { checkDescription, checkName } from "../contract/check-text.ts";
import { applyMask, readMask } from "../contract/field-mask.ts";
import { newResource } from "../contract/new-resource.ts";
import { newUidIn } from "../contract/uid.ts";
import { failedPrecondition, invalidArgument, notFound, permissionDenied } from "../errors/api-error.ts";
import {
  ListRolesRequestSchema,
  ListRolesResponseSchema,
  type Role,
  RoleSchema,
  RolesService,
} from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { listStored } from "../handlers/list-page.ts";
import { permittedParent, permittedResource } from "../handlers/permitted.ts";
import { checkUniqueName } from "../handlers/unique-name.ts";
import { nameIs } from "../resources/row-condition.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transaction, Transactions } from "../service/transaction.ts";
import { type Reader, statement } from "../store/database.ts";
import { bindingsWithRole } from "./role-binding-rows.ts";

const invited = statement((db, p: { role: string; now: number }) =>
  db.selectFrom("group_invites").select("uid").where("role_uid", "=", p.role).where("expires", ">", p.now).limit(1),
);
const isDefault = statement((db, p: { role: string }) =>
  db.selectFrom("identity_providers").select("uid").where("default_role", "=", p.role).limit(1),
);

export function rolesService(transactions: Transactions): Service {
  return implement(RolesService, {
    listRoles: (request, call) =>
      transactions.read(call, (transaction) =>
        listStored(transaction, roles, ListRolesResponseSchema, {
          schema: ListRolesRequestSchema,
          request,
          conditions: nameIs(request.name),
          rootsArePublic: true,
        }),
      ),

    getRole: ({ uid }, call) => transactions.read(call, (transaction) => readRole(transaction, uid)),

    createRole: ({ parent, role = create(RoleSchema) }, call) =>
      transactions.write(call, async (transaction) => {
        await permittedParent(transaction, Capability.CAP_IAM_ROLES_CREATE, parent);
        const time = timestampFromMs(transaction.now);
        const created = newResource(RoleSchema, role, { uid: newUidIn(parent), createTime: time, updateTime: time });
        created.capabilities = distinct(created.capabilities);
        checkRole(transaction, created, []);
        requireCapability(created);
        transaction.access.requireAll(created.capabilities, parent, "creating the role");
        await checkUniqueName(transaction, roles, created.uid, created.name);
        await roles.insert(transaction.tx, created);
        return created;
      }),

    updateRole: ({ role = create(RoleSchema), updateMask }, call) =>
      transactions.write(call, async (transaction) => {
        rejectBuiltin(role.uid);
        const current = await permittedResource(transaction, roles, Capability.CAP_IAM_ROLES_UPDATE, role.uid);
        const updated = applyMask(RoleSchema, current, role, readMask(RoleSchema, updateMask?.paths ?? [], role));
        updated.capabilities = distinct(updated.capabilities);
        checkRole(transaction, updated, current.capabilities);
        if (current.capabilities.length > 0) requireCapability(updated);
        const gained = updated.capabilities.filter((capability) => !current.capabilities.includes(capability));
        transaction.access.requireAll(gained, role.uid, "updating the role");
        if (updated.name !== current.name) await checkUniqueName(transaction, roles, updated.uid, updated.name);
        updated.updateTime = timestampFromMs(transaction.now);
        await roles.update(transaction.tx, updated);
        return updated;
      }),

    deleteRole: ({ uid }, call) =>
      transactions.write(call, async (transaction) => {
        rejectBuiltin(uid);
        await permittedResource(transaction, roles, Capability.CAP_IAM_ROLES_DELETE, uid);
        await checkNotInUse(transaction.tx, uid, transaction.now);
        await roles.delete(transaction.tx, uid);
        return create(EmptySchema);
      }),
  });
}

/** Returns a role by its path. Every caller can read the built-in roles. @throws ApiError (5, 7) */
async function readRole(transaction: Transaction, uid: string): Promise<Role> {
  if (builtinRole(uid) === undefined) return permittedResource(transaction, roles, Capability.CAP_IAM_ROLES_LIST, uid);
  const role = await roles.find(transaction.tx, uid);
  if (role === undefined) throw notFound("role", uid);
  return role;
}

function rejectBuiltin(uid: string): void {
  if (builtinRole(uid) !== undefined) throw permissionDenied("a built-in role cannot be changed or deleted");
}

/** Requires that nothing grants the role. @throws ApiError (9), `RESOURCE_IN_USE` */
export async function checkNotInUse(tx: Reader, role: string, now: number): Promise<void> {
  if (await bindingsWithRole(tx, role)) throw inUse("that is bound");
  if ((await tx.first(invited, { role, now })) !== undefined) throw inUse("that an invite names");
  if ((await tx.first(isDefault, { role })) !== undefined) throw inUse("that is the default of an identity provider");
}

function inUse(how: string) {
  return failedPrecondition("RESOURCE_IN_USE", `cannot delete role ${how}`);
}

/** @param before the capabilities that the role has @throws ApiError (3) */
function checkRole({ settings }: Transaction, role: Role, before: readonly Capability[]): void {
  const { name, description, capabilities } = role;
  checkName(name);
  checkDescription(description);
  if (capabilities.includes(Capability.UNKNOWN)) throw invalidArgument("capabilities", "must not contain UNKNOWN");
  const unknown = capabilities.find((capability) => !isKnown(capability) && !before.includes(capability));
  // If they are kept, a caller must hold them to grant them, so only the admin can.
  if (unknown !== undefined && settings.unknownCapabilities === "refuse")
    throw invalidArgument(`capabilities[${capabilities.indexOf(unknown)}]`, `unknown capability ${unknown}`);
}

/** @throws ApiError (3) */
function requireCapability({ capabilities }: Role): void {
  if (capabilities.length === 0) throw invalidArgument("capabilities", "at least one is required");
}

function distinct(capabilities: readonly Capability[]): Capability[] {
  return [...new Set(capabilities)];
}
