import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { builtinRoles } from "../access/builtin-roles.ts";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { roles } from "../collections/roles.ts";

/** Brings the rows of the built-in roles to what this version of the platform knows them as. */
export async function writeBuiltinRoles(tx: AuthoredWriter, now: number): Promise<void> {
  for (const { uid, name, description, capabilities } of builtinRoles) {
    const known = await roles.find(tx, uid);
    const time = timestampFromMs(now);
    const role = create(RoleSchema, {
      uid,
      name,
      description,
      capabilities: [...capabilities].toSorted((a, b) => a - b),
      createTime: known?.createTime ?? time,
      updateTime: time,
    });
    if (known === undefined) await roles.insert(tx, role);
    else if (known.capabilities.join() !== role.capabilities.join() || known.description !== description)
      await roles.update(tx, role);
  }
}
