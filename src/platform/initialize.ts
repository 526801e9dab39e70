import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { writeAdminTokenFile } from "./authorization/admin-token-file.ts";
import { newAdminToken, insertAdminToken } from "./authorization/admin-token.ts";
import { record } from "./audit/audit-log.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import { groups } from "./collections/groups.ts";
import { identities } from "./collections/identities.ts";
import { roleBindings } from "./collections/role-bindings.ts";
import { newRootUid, newUidIn } from "./contract/uid.ts";
import { GroupSchema } from "./gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "./gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "./gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { writeBuiltinRoles } from "./iam/builtin-role-rows.ts";
import type { InitFile, InitIdentity } from "./init-file.ts";
import { compareInitFile, type InitDifference } from "./init-file-differences.ts";
import { type Database, statement } from "./store/database.ts";

const fact = statement((db, p: { name: string }) => db.selectFrom("facts").select("value").where("name", "=", p.name));
const setFact = statement((db, p: { name: string; value: string }) =>
  db.insertInto("facts").values({ name: p.name, value: p.value }),
);

/** The result of `initialize`. */
export interface Initialization {
  /** The uid of the first root group. */
  readonly rootGroup: string;
  /** Whether the root group and the admin token were created by this call. */
  readonly created: boolean;
  /** What the database, which an earlier call initialized, has otherwise than the init file. */
  readonly differences: readonly InitDifference[];
}

/**
 * Creates the first root group, the admin token and what the init file declares, if the database is empty, and updates the
 * built-in roles. Replicas may call it at the same time, because writes are serial. On a database that is not empty, the init
 * file is compared and never applied.
 * @param adminTokenFile is written (mode 0600) before the token is committed, so that a crash cannot leave a token that
 *   nobody knows
 */
export async function initialize(
  database: Database,
  adminTokenFile: string,
  now: number,
  initFile?: InitFile,
): Promise<Initialization> {
  return database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "platform" }, now);
    await writeBuiltinRoles(tx, now);
    const known = await tx.first(fact, { name: "root_group" });
    if (known !== undefined) {
      const differences = initFile === undefined ? [] : await compareInitFile(tx, initFile, known.value);
      return { rootGroup: known.value, created: false, differences };
    }
    const time = timestampFromMs(now);
    const { uid, name } = initFile?.rootGroup ?? { uid: newRootUid(), name: "root" };
    const root = create(GroupSchema, { uid, name, createTime: time, updateTime: time });
    await groups.insert(tx, root);
    for (const identity of initFile?.identities ?? []) await createIdentity(tx, identity, root.uid);
    await tx.run(setFact, { name: "root_group", value: root.uid });
    const token = newAdminToken();
    writeAdminTokenFile(adminTokenFile, token);
    await insertAdminToken(tx, token, now);
    await record(tx, { action: "create", type: "admin token", uid: "", fields: {} });
    return { rootGroup: root.uid, created: true, differences: [] };
  });
}

async function createIdentity(
  tx: AuthoredWriter,
  { uid, name, description, claimMatch, role }: InitIdentity,
  group: string,
): Promise<void> {
  const time = timestampFromMs(tx.now);
  const relationship = { case: "claimMatch", value: claimMatch } as const;
  const times = { createTime: time, updateTime: time, lastSeenTime: time };
  await identities.insert(tx, create(IdentitySchema, { uid, name, description, relationship, ...times }));
  const binding = { uid: newUidIn(group), identityUid: uid, roleUid: role.uid, createTime: time };
  await roleBindings.insert(tx, create(RoleBindingSchema, binding));
}
