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

/**
 * Role bindings of one query: by default, an identity cannot have more. Others are served between the queries for an identity
 * that has thousands.
 */
const bindingsOfQuery = 1_000;

/** One row for each of the first bindings of the identity, or a single row without a binding. */
const identityWithBindings = statement((db, p: { identity: string }) =>
  db
    .selectFrom("identities as identity")
    .leftJoin("role_bindings as binding", "binding.identity_uid", "identity.uid")
    .leftJoin("security_stamps as stamp", "stamp.identity_uid", "identity.uid")
    .select([
      "identity.expires",
      "stamp.stamp",
      "binding.uid as binding",
      "binding.parent as group",
      "binding.role_uid",
    ])
    .where("identity.uid", "=", p.identity)
    .orderBy("binding.uid")
    .limit(bindingsOfQuery),
);

const bindingsAfter = statement((db, p: { identity: string; after: string }) =>
  db
    .selectFrom("role_bindings")
    .select(["uid as binding", "parent as group", "role_uid"])
    .where("identity_uid", "=", p.identity)
    .where("uid", ">", p.after)
    .orderBy("uid")
    .limit(bindingsOfQuery),
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
  return new Access(downscope(await grantsFrom(reader, caller.uid, rows), caller.downscoping));
}

/** The grants of all bindings of an identity. */
export async function grantsOf(reader: Reader, identityUid: string): Promise<Grant[]> {
  const rows = await reader.all(identityWithBindings, { identity: identityUid });
  return grantsFrom(reader, identityUid, rows);
}

interface BindingRow {
  readonly binding: string | null;
  readonly group: string | null;
  readonly role_uid: string | null;
}

/**
 * The grants of all bindings of an identity. The rows of each query are garbage before the next one.
 * @param first the rows of the first query
 */
async function grantsFrom(reader: Reader, identity: string, first: readonly BindingRow[]): Promise<Grant[]> {
  const known = new Map<string, ReadonlySet<Capability>>();
  const capabilitiesOf = (role: string) => builtinRole(role)?.capabilities ?? known.get(role);
  const grants: Grant[] = [];
  for (let rows = first; ; ) {
    // Most identities have only built-in roles, which are not read.
    const unknown = rows.filter(({ role_uid }) => role_uid !== null && capabilitiesOf(role_uid) === undefined);
    if (unknown.length > 0) await readCapabilities(reader, unknown, known);
    for (const { group, role_uid } of rows) {
      if (group === null || role_uid === null) continue;
      const capabilities = capabilitiesOf(role_uid);
      if (capabilities !== undefined) grants.push({ group, capabilities });
    }
    if (rows.length < bindingsOfQuery) return grants;
    rows = await reader.all(bindingsAfter, { identity, after: rows.at(-1)?.binding ?? "" });
  }
}

/** Roles of one query; backends limit its parameters. */
const rolesOfQuery = 500;

/** Reads the capabilities of the roles of bindings. Each is read once: an identity may have thousands of bindings of a few roles. */
async function readCapabilities(
  reader: Reader,
  bindings: readonly BindingRow[],
  known: Map<string, ReadonlySet<Capability>>,
): Promise<void> {
  const uids = [...new Set(bindings.map(({ role_uid }) => role_uid ?? ""))];
  for (let start = 0; start < uids.length; start += rolesOfQuery) {
    const some = uids.slice(start, start + rolesOfQuery);
    const rows = await reader.query((db) => db.selectFrom("roles").select(["uid", "body"]).where("uid", "in", some));
    for (const { uid, body } of rows)
      known.set(uid, new Set(fromBinary(RoleSchema, body).capabilities.filter(isKnown)));
  }
}
