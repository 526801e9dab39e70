import { failedPrecondition } from "../errors/api-error.ts";
import { type Reader, statement } from "../store/database.ts";
import { bindingsWithRole } from "./role-binding-rows.ts";

const invited = statement((db, p: { role: string; now: number }) =>
  db.selectFrom("group_invites").select("uid").where("role_uid", "=", p.role).where("expires", ">", p.now).limit(1),
);
const isDefault = statement((db, p: { role: string }) =>
  db.selectFrom("identity_providers").select("uid").where("default_role", "=", p.role).limit(1),
);

/** Requires that nothing grants the role. @throws ApiError (9), `RESOURCE_IN_USE` */
export async function checkNotInUse(tx: Reader, role: string, now: number): Promise<void> {
  if (await bindingsWithRole(tx, role)) throw inUse("that is bound");
  if ((await tx.first(invited, { role, now })) !== undefined) throw inUse("that an invite names");
  if ((await tx.first(isDefault, { role })) !== undefined) throw inUse("that is the default of an identity provider");
}

function inUse(how: string) {
  return failedPrecondition("RESOURCE_IN_USE", `cannot delete role ${how}`);
}
