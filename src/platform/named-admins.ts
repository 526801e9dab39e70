import {
  deleteNamedAdmin,
  insertAdminToken,
  type NamedAdmin,
  namedAdmins,
  newAdminToken,
} from "./authorization/admin-token.ts";
import { record } from "./audit/audit-log.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import type { Database } from "./store/database.ts";

/** The most named admins of a platform. Those whose tokens have expired do not count. */
export const maximumNamedAdmins = 100;

const author = { kind: "host", command: "platform admin-token" } as const;

/**
 * Creates the token of a named admin, which replaces an earlier one of the same name. Running platforms accept it from the
 * next call on.
 * @throws Error if there are too many named admins
 */
export async function createNamedAdmin(database: Database, named: NamedAdmin, now: number): Promise<string> {
  const token = newAdminToken();
  await database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, author, now);
    await deleteNamedAdmin(tx, named.name);
    for (const { name, expires } of await namedAdmins(tx)) if (expires <= now) await deleteNamedAdmin(tx, name);
    if ((await namedAdmins(tx)).length >= maximumNamedAdmins)
      throw new Error(`there are ${maximumNamedAdmins} named admins; revoke one with --revoke NAME`);
    await insertAdminToken(tx, token, now, named);
    const fields = { name: { new: named.name }, expires: { new: new Date(named.expires).toISOString() } };
    await record(tx, { action: "create", type: "admin token", uid: "", fields });
  });
  return token;
}

/** Ends the token of a named admin, from the next call on. @throws Error if there is none of that name */
export async function revokeNamedAdmin(database: Database, name: string, now: number): Promise<void> {
  await database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, author, now);
    if (!(await deleteNamedAdmin(tx, name))) throw new Error(`there is no admin named ${name}; --list names them`);
    await record(tx, { action: "revoke", type: "admin token", uid: "", fields: { name: { old: name } } });
  });
}

/** The named admins by name, including those whose tokens have expired. */
export function listNamedAdmins(database: Database): Promise<readonly NamedAdmin[]> {
  return database.read((tx) => namedAdmins(tx));
}
