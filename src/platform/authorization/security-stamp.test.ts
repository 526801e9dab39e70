import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import {
  isCurrent,
  recordEndedLogin,
  recordKeyChange,
  replaceSecurityStamp,
  securityStampOf,
} from "./security-stamp.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-stamps-"));
let database: SqliteDatabase;
beforeAll(() => {
  database = new SqliteDatabase(join(folder, "data"));
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const stampOf = (identity: string) => database.read((tx) => securityStampOf(tx, identity));
const end = (identity: string, id: string, now: number) =>
  database.write((tx) => recordEndedLogin(tx, identity, { id, expires: now + 100 }, now));
const tokenOf = (login: string | undefined, key?: string) => ({ value: "", key, login });

it("an ended login ends its own tokens, and neither those of other logins nor those of an exchange", async () => {
  expect(await end("a", "one", 0)).toBe(true);
  const stamp = await stampOf("a");
  expect([tokenOf("one"), tokenOf("two"), tokenOf(undefined)].map((token) => isCurrent(stamp, token))).toEqual([
    false,
    true,
    true,
  ]);
});

it("an ended login and a removed key do not undo each other", async () => {
  await end("b", "one", 0);
  await database.write((tx) => recordKeyChange(tx, "b", { added: [], removed: ["key"] }));
  await end("b", "two", 0);
  const stamp = await stampOf("b");
  const tokens = [tokenOf("one", "k"), tokenOf("two", "k"), tokenOf(undefined, "key"), tokenOf("three", "k")];
  expect(tokens.map((token) => isCurrent(stamp, token))).toEqual([false, false, false, true]);
});

it("stores at most 16 ended logins, each until its tokens have expired", async () => {
  for (let login = 0; login < 16; login++) expect(await end("c", `${login}`, login)).toBe(true);
  expect(await end("c", "15", 16)).toBe(true);
  expect(await end("c", "more", 16)).toBe(false);
  expect(await end("c", "more", 100)).toBe(true);
  expect((await stampOf("c")).endedLogins).toHaveLength(16);
  // All tokens have another value then.
  await database.write((tx) => replaceSecurityStamp(tx, "c"));
  expect((await stampOf("c")).endedLogins).toEqual([]);
});
