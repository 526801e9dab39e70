import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { securityStampOf } from "../authorization/security-stamp.ts";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import { deleteFamily } from "../tokens/refresh-families.ts";
import type { AuditRecord } from "./audit-record.ts";
import type { Author } from "./author.ts";
import { nextRecords } from "./read-records.ts";

// What is stored as JSON of our own, and not as JSON of the contract, which scripts/stored-messages.ts compares. These are rows as a
// platform has written them: after the first release, only new ones may be added here.

const folder = mkdtempSync(join(tmpdir(), "muster-stored-records-"));
afterAll(() => rmSync(folder, { recursive: true }));

const uid = `${"a".repeat(40)}/${"1".repeat(16)}`;
const actor = { iss: "https://issuer.example.com", sub: "repo:shop", aud: "muster" };
const authors: readonly Author[] = [
  { kind: "admin" },
  { kind: "admin", name: "kate" },
  { kind: "identity", uid, onBehalfOf: undefined },
  { kind: "identity", uid, onBehalfOf: actor },
  { kind: "host", command: "platform load" },
  { kind: "platform" },
  { kind: "anonymous" },
];

it("reads the records and families that a platform has written", async () => {
  const path = join(folder, "data");
  await new SqliteDatabase(path).close();
  const file = new DatabaseSync(path);
  for (const author of authors)
    file
      .prepare(
        `insert into audit_log (time, actor, author, action, type, uid, fields, root, method, code, form, change_count, first_time, details)
         values (1000, '', ?, 'refuse', 'group', '${uid}', '{"name":{"old":"a","new":"b"}}', '${"a".repeat(40)}', 'x.Y/Z', 7, 'event', 1, 1000,
           '{"address":"192.0.2.1","reason":"r","omitted":3,"fields":{"cap":["repo.list"]}}')`,
      )
      .run(JSON.stringify(author));
  const content = JSON.stringify({ audiences: ["a"], actor, groups: [uid], capabilities: [1605], key: "k" });
  file.prepare(`insert into refresh_families values ('f', '${uid}', 'hash', ?)`).run(content);
  const login = JSON.stringify({ audiences: ["a"], actor, login: "l" });
  file.prepare(`insert into refresh_families values ('g', '${uid}', 'hash', ?)`).run(login);
  file.prepare("insert into security_stamps values (?, 'value key login:l:3000')").run(uid);
  file.close();

  const database = new SqliteDatabase(path);
  const records = await database.read((tx) => nextRecords(tx, 0, { limit: 100, maximumBytes: 1_000_000 }));
  expect(records.map((record) => record.actor)).toEqual(authors);
  expect(records[0]).toEqual({
    sequence: 1,
    time: "1970-01-01T00:00:01.000Z",
    actor: { kind: "admin" },
    action: "refuse",
    form: "event",
    changeCount: 1,
    firstTime: "1970-01-01T00:00:01.000Z",
    type: "group",
    uid,
    fields: { name: { old: "a", new: "b" } },
    method: "x.Y/Z",
    code: 7,
    details: { address: "192.0.2.1", reason: "r", omitted: 3, fields: { cap: ["repo.list"] } },
  } satisfies AuditRecord);
  expect(await database.write((tx) => deleteFamily(tx, "f"))).toEqual({ identity: uid, actor });
  expect(await database.write((tx) => deleteFamily(tx, "g"))).toEqual({ identity: uid, actor, login: "l" });
  expect(await database.read((tx) => securityStampOf(tx, uid))).toEqual({
    value: "value",
    removedKeys: ["key"],
    endedLogins: [{ id: "l", expires: 3_000 }],
  });
  await database.close();
});
