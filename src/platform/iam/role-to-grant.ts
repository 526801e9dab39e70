import type { Access } from "../authorization/access.ts";
import { builtinRole } from "../authorization/builtin-roles.ts";
import { Capability } from "../authorization/capability.ts";
import { roles } from "../collections/roles.ts";
import { isUid, isWithin, parentOf } from "../contract/uid.ts";
import { invalidArgument, notFound, permissionDenied } from "../errors/api-error.ts";
import type { Role } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { checkResourceType } from "../handlers/resource-type.ts";
import type { Transaction } from "../service/transaction.ts";

/**
 * Returns the role that a request grants in a group. The caller must hold all of its capabilities there.
 * @throws ApiError 3 if the uid is malformed or the role cannot be bound in the group, 5 if the caller cannot see the role,
 *   7 if the caller does not hold a capability of the role
 */
export async function roleToGrant(transaction: Transaction, field: string, uid: string, group: string): Promise<Role> {
  if (uid === "") throw invalidArgument(field, "is required");
  if (!isUid(uid)) throw invalidArgument(field, "must be the uid of a role");
  const role = await roles.find(transaction.tx, uid);
  const builtin = builtinRole(uid) !== undefined;
  if (role === undefined || (!builtin && !transaction.access.sees(uid))) {
    await checkResourceType(transaction, field, [uid], [roles]);
    throw notFound("role", uid);
  }
  if (!builtin && !isWithin(parentOf(uid) ?? "", group))
    throw invalidArgument(field, "a custom role can be bound only in its own group and below it");
  if (canReadRole(transaction.access, uid))
    transaction.access.requireAll(role.capabilities, group, `granting the role "${role.name}"`);
  else if (transaction.access.missing(role.capabilities, group) !== undefined)
    throw permissionDenied(`granting the role "${uid}" requires all of its capabilities in "${group}"`);
  return role;
}

/** Whether the caller can read a role. Every caller can read the built-in ones. */
export function canReadRole(access: Access, uid: string): boolean {
  return builtinRole(uid) !== undefined || access.can(Capability.CAP_IAM_ROLES_LIST, uid);
}
