import { fromBinary } from "@bufbuild/protobuf";
import { unauthenticated } from "../errors/api-error.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { type Reader, statement } from "../store/database.ts";
import { Access } from "./access.ts";
import { builtinRole } from "./builtin-roles.ts";
import type { Caller } from "./caller.ts";
import { type Capability, isKnown } from "./capability.ts";
import { downscope, type Grant } from "./grant.ts";
import { isCurrent, parseStamp } from "./security-stamp.ts";

/** One row for each binding of the identity, or a single row without a binding. */
const identityWithBindings = statement((db, p: { identity: string }) =>
  db
    .selectFrom("identities as identity")
    .leftJoin("role_bindings as binding", "binding.identity_uid", "identity.uid")
    .leftJoin("security_stamps as stamp", "stamp.identity_uid", "identity.uid")
    .select(["identity.expires", "stamp.stamp", "binding.parent as group", "binding.role_uid"])
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
  return new Access(downscope(await grantsIn(reader, rows), caller.downscoping));
}

/** The grants of all bindings of an identity. */
export async function grantsOf(reader: Reader, identityUid: string): Promise<Grant[]> {
  return grantsIn(reader, await reader.all(identityWithBindings, { identity: identityUid }));
}

interface BindingRow {
  readonly group: string | null;
  readonly role_uid: string | null;
}

async function grantsIn(reader: Reader, rows: readonly BindingRow[]): Promise<Grant[]> {
  const own = new Set<string>();
  for (const { role_uid } of rows) if (role_uid !== null && builtinRole(role_uid) === undefined) own.add(role_uid);
  const capabilitiesOfOwn = own.size === 0 ? none : await capabilitiesOf(reader, [...own]);
  const grants: Grant[] = [];
  for (const { group, role_uid } of rows) {
    if (group === null || role_uid === null) continue;
    const capabilities = builtinRole(role_uid)?.capabilities ?? capabilitiesOfOwn.get(role_uid);
    if (capabilities !== undefined) grants.push({ group, capabilities });
  }
  return grants;
}

const none: ReadonlyMap<string, ReadonlySet<Capability>> = new Map();

/** Roles of one query; backends limit its parameters. */
const rolesOfQuery = 500;

/**
 * The capabilities of roles that are not built in. Each is read once: an identity may have thousands of bindings of a few roles,
 * and most identities have only built-in ones, which are not read at all.
 */
async function capabilitiesOf(
  reader: Reader,
  uids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<Capability>>> {
  const found = new Map<string, ReadonlySet<Capability>>();
  for (let start = 0; start < uids.length; start += rolesOfQuery) {
    const some = uids.slice(start, start + rolesOfQuery);
    const rows = await reader.query((db) => db.selectFrom("roles").select(["uid", "body"]).where("uid", "in", some));
    for (const { uid, body } of rows)
      found.set(uid, new Set(fromBinary(RoleSchema, body).capabilities.filter(isKnown)));
  }
  return found;
}
