import { builtinRole } from "../access/builtin-roles.ts";
import { Capability } from "../access/capability.ts";
import { invalidArgument, notFound } from "../errors/api-error.ts";
import type { Role } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { permittedResource } from "../handlers/permitted.ts";
import type { Session } from "../service/session.ts";
import { isUid, isWithin, parentOf } from "../contract/uid.ts";
import { roles } from "../collections/roles.ts";
import { checkResourceType } from "../handlers/resource-type.ts";

/** A role by its path: built-in ones can be read by every caller. @throws ApiError (5, 7) */
export async function roleToRead(session: Session, uid: string): Promise<Role> {
  if (builtinRole(uid) === undefined) return permittedResource(session, roles, Capability.CAP_IAM_ROLES_LIST, uid);
  const role = await roles.find(session.tx, uid);
  if (role === undefined) throw notFound("role", uid);
  return role;
}

/**
 * The role that is to be given in a group, by the uid in a field of the request. The caller has all of it there.
 * @throws ApiError 3 where the uid is malformed or the role does not bind there, 5 where the caller sees none such,
 *   7 where it lacks a capability of the role
 */
export async function roleToGrant(session: Session, field: string, uid: string, group: string): Promise<Role> {
  if (uid === "") throw invalidArgument(field, "is required");
  if (!isUid(uid)) throw invalidArgument(field, "must be the uid of a role");
  const role = await roles.find(session.tx, uid);
  const builtin = builtinRole(uid) !== undefined;
  if (role === undefined || (!builtin && !session.access.sees(uid))) {
    await checkResourceType(session, field, [uid], [roles]);
    throw notFound("role", uid);
  }
  if (!builtin && !isWithin(parentOf(uid) ?? "", group))
    throw invalidArgument(field, "a custom role binds in its own group and below it only");
  session.access.requireAll(role.capabilities, group, `giving the role "${role.name}"`);
  return role;
}
