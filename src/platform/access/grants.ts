import { fromBinary } from "@bufbuild/protobuf";
import { unauthenticated } from "../errors/api-error.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { type Reader, statement } from "../store/database.ts";
import { Access, type Grant, downscope } from "./access.ts";
import { builtinRole } from "./builtin-roles.ts";
import type { Caller } from "./caller.ts";

/** One row for each binding, and one without any where there is none. */
const identityWithBindings = statement((db, p: { identity: string }) =>
  db
    .selectFrom("identities as identity")
    .leftJoin("role_bindings as binding", "binding.identity_uid", "identity.uid")
    .leftJoin("roles as role", "role.uid", "binding.role_uid")
    .select(["identity.expires", "binding.parent as group", "binding.role_uid", "role.body as role"])
    .where("identity.uid", "=", p.identity),
);

/**
 * What a caller may do as things stand in this transaction: every request reads it anew.
 * @throws ApiError (16) where the identity is gone or its static keys have expired
 */
export async function accessOf(reader: Reader, caller: Caller, now: number): Promise<Access> {
  if (caller.kind === "admin") return new Access("everything");
  const rows = await reader.all(identityWithBindings, { identity: caller.uid });
  const [found] = rows;
  if (found === undefined) throw unauthenticated("the identity of the token does not exist any more");
  if (found.expires !== null && found.expires <= now) throw unauthenticated("the identity's static keys have expired");
  return new Access(downscope(rows.flatMap(grantIn), caller.downscoping));
}

/** What the bindings of an identity give it, and where. */
export async function grantsOf(reader: Reader, identityUid: string): Promise<Grant[]> {
  return (await reader.all(identityWithBindings, { identity: identityUid })).flatMap(grantIn);
}

interface BindingRow {
  readonly group: string | null;
  readonly role_uid: string | null;
  readonly role: Uint8Array | null;
}

function grantIn({ group, role_uid, role }: BindingRow): Grant[] {
  if (group === null || role_uid === null || role === null) return [];
  const builtin = builtinRole(role_uid)?.capabilities;
  return [{ group, capabilities: builtin ?? new Set(fromBinary(RoleSchema, role).capabilities) }];
}
