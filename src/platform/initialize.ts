import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { writeAdminTokenFile } from "./access/admin-token-file.ts";
import { newAdminToken, insertAdminToken } from "./access/admin-token.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import { groups } from "./collections/groups.ts";
import { newRootUid } from "./contract/uid.ts";
import { GroupSchema } from "./gen/muster/platform/iam/v2beta1/group_pb.ts";
import { writeBuiltinRoles } from "./iam/builtin-role-rows.ts";
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
}

/**
 * Creates the first root group and the admin token if they do not exist, and updates the built-in roles. Replicas may call it
 * at the same time, because writes are serial.
 * @param adminTokenFile is written (mode 0600) before the token is committed, so that a crash cannot leave a token that
 *   nobody knows
 */
export async function initialize(database: Database, adminTokenFile: string, now: number): Promise<Initialization> {
  return database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "platform" }, now);
    await writeBuiltinRoles(tx, now);
    const known = await tx.first(fact, { name: "root_group" });
    if (known !== undefined) return { rootGroup: known.value, created: false };
    const time = timestampFromMs(now);
    const root = create(GroupSchema, { uid: newRootUid(), name: "root", createTime: time, updateTime: time });
    await groups.insert(tx, root);
    await tx.run(setFact, { name: "root_group", value: root.uid });
    const token = newAdminToken();
    writeAdminTokenFile(adminTokenFile, token);
    await insertAdminToken(tx, token, now);
    return { rootGroup: root.uid, created: true };
  });
}
