import { fromBinary } from "@bufbuild/protobuf";
import { unauthenticated } from "../errors/api-error.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { type Reader, statement } from "../store/database.ts";
import { Access, type Grant, downscope } from "./access.ts";
import { builtinRole } from "./builtin-roles.ts";
import type { Caller } from "./caller.ts";
import { type Capability, isKnown } from "./capability.ts";
import { isCurrent, parseStamp } from "./security-stamp.ts";

/** One row for each binding of the identity, or a single row without a binding. */
const identityWithBindings = statement((db, p: { identity: string }) =>
  db
    .selectFrom("identities as identity")
    .leftJoin("role_bindings as binding", "binding.identity_uid", "identity.uid")
    .leftJoin("roles as role", "role.uid", "binding.role_uid")
    .leftJoin("security_stamps as stamp", "stamp.identity_uid", "identity.uid")
    .select(["identity.expires", "stamp.stamp", "binding.parent as group", "binding.role_uid", "role.body as role"])
    .where("identity.uid", "=", p.identity),
);

/**
 * The permissions of a caller in this transaction. Every request reads them again, so revocation is immediate.
 * @throws ApiError (16) if the identity was deleted, its static keys have expired, or the token was ended: how the identity is
 *   assumed has changed since it was issued, or the identity's tokens were revoked
 */
export async function accessOf(reader: Reader, caller: Caller, now: number): Promise<Access> {
  if (caller.kind === "admin") return new Access("everything");
  const rows = await reader.all(identityWithBindings, { identity: caller.uid });
  const [found] = rows;
  if (found === undefined) throw unauthenticated("the identity of the token was deleted");
  if (found.expires !== null && found.expires <= now) throw unauthenticated("the identity's static keys have expired");
  if (!isCurrent(parseStamp(found.stamp), caller.stamp))
    throw unauthenticated(
      "how the identity is assumed was changed after the token was issued, or its tokens were revoked: exchange a subject token again",
    );
  return new Access(downscope(grantsIn(rows), caller.downscoping));
}

/** The grants of all bindings of an identity. */
export async function grantsOf(reader: Reader, identityUid: string): Promise<Grant[]> {
  return grantsIn(await reader.all(identityWithBindings, { identity: identityUid }));
}

interface BindingRow {
  readonly group: string | null;
  readonly role_uid: string | null;
  readonly role: Uint8Array | null;
}

/** Reads each role once: an identity may have thousands of bindings of a few roles. */
function grantsIn(rows: readonly BindingRow[]): Grant[] {
  const known = new Map<string, ReadonlySet<Capability>>();
  return rows.flatMap(({ group, role_uid, role }) => {
    if (group === null || role_uid === null || role === null) return [];
    let capabilities = known.get(role_uid) ?? builtinRole(role_uid)?.capabilities;
    if (capabilities === undefined) {
      capabilities = new Set(fromBinary(RoleSchema, role).capabilities.filter(isKnown));
      known.set(role_uid, capabilities);
    }
    return [{ group, capabilities }];
  });
}
