import { builtinRole, ownerRole } from "../authorization/builtin-roles.ts";
import { roles } from "../collections/roles.ts";
import { isWithin, parentOf } from "../contract/uid.ts";
import type { Role } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import type { Reader } from "../store/database.ts";

/**
 * The role, if the owners of the group can still grant it there: it may have changed since an owner named it. A login has no
 * caller whose permissions could be compared with it.
 */
export async function grantableRole(reader: Reader, uid: string, group: string): Promise<Role | undefined> {
  const role = await roles.find(reader, uid);
  if (role === undefined) return undefined;
  if (builtinRole(uid) === undefined && !isWithin(parentOf(uid) ?? "", group)) return undefined;
  return role.capabilities.every((capability) => ownerRole.capabilities.has(capability)) ? role : undefined;
}
