import { fromBinary } from "@bufbuild/protobuf";
import { unauthenticated } from "../errors/api-error.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { type Reader, statement } from "../store/store.ts";
import { Access, type Grant, narrow } from "./access.ts";
import { builtinRole } from "./builtin-roles.ts";
import type { Caller } from "./caller.ts";

const identity = statement((db, p: { uid: string }) =>
  db.selectFrom("identities").select("expires").where("uid", "=", p.uid),
);

const bindings = statement((db, p: { identity: string }) =>
  db
    .selectFrom("role_bindings as binding")
    .innerJoin("roles as role", "role.uid", "binding.role_uid")
    .select(["binding.parent as group", "binding.role_uid", "role.body as role"])
    .where("binding.identity_uid", "=", p.identity),
);

/**
 * What a caller may do as things stand in this transaction: every request reads it anew.
 * @throws ApiError (16) where the identity is gone or its static keys have expired
 */
export async function accessOf(reader: Reader, caller: Caller, now: number): Promise<Access> {
  if (caller.kind === "admin") return new Access("everything");
  const found = await reader.first(identity, { uid: caller.uid });
  if (found === undefined) throw unauthenticated("the identity of the token does not exist any more");
  if (found.expires !== null && found.expires <= now) throw unauthenticated("the identity's static keys have expired");
  return new Access(narrow(await grantsOf(reader, caller.uid), caller.narrowing));
}

/** What the bindings of an identity give it, and where. */
export async function grantsOf(reader: Reader, identityUid: string): Promise<Grant[]> {
  const rows = await reader.all(bindings, { identity: identityUid });
  return rows.map((row) => ({
    group: row.group ?? "",
    capabilities: builtinRole(row.role_uid)?.capabilities ?? new Set(fromBinary(RoleSchema, row.role).capabilities),
  }));
}
