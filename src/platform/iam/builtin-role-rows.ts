import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { builtinRoles } from "../authorization/builtin-roles.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { roles } from "../collections/roles.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";

/** Updates the rows of the built-in roles to the definitions of this version of the platform. */
export async function writeBuiltinRoles(tx: AuthoredWriter, now: number): Promise<void> {
  for (const { uid, name, description, capabilities } of builtinRoles) {
    const stored = await roles.find(tx, uid);
    const time = timestampFromMs(now);
    const role = create(RoleSchema, {
      uid,
      name,
      description,
      capabilities: [...capabilities].toSorted((a, b) => a - b),
      createTime: stored?.createTime ?? time,
      updateTime: time,
    });
    if (stored === undefined) await roles.insert(tx, role);
    else if (stored.capabilities.join() !== role.capabilities.join() || stored.description !== description)
      await roles.update(tx, role);
  }
}
