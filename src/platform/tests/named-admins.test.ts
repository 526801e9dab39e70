import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namedAdmins } from "../authorization/admin-token.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { createNamedAdmin, maximumNamedAdmins, revokeNamedAdmin } from "../named-admins.ts";
import type { Database } from "../store/database.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

const hour = 3_600_000;

let platform: RunningPlatform;
let database: Database;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  platform.freeze();
  database = await platform.openDatabase();
});
afterAll(async () => {
  await database.close();
  await platform.stop();
});

const create = (name: string, lifetime = hour, now = platform.now) =>
  createNamedAdmin(database, { name, expires: now + lifetime }, now);
const status = async (token: string) => (await platform.as(token).get("/iam/v2beta1/groups")).status;

describe("a named admin", () => {
  it("has every permission until the token expires, and is named in the audit log", async () => {
    const token = await create("alice");
    const { uid } = await platform.as(token).ok("POST", "/iam/v2beta1/groups", { name: "by-alice" });
    const records = [];
    const filter = { actor: "admin/alice" };
    for await (const record of readAuditLog((work) => database.read(work), filter)) records.push(record);
    expect(records).toMatchObject([{ actor: { kind: "admin", name: "alice" }, action: "create", uid }]);

    const short = await create("bob", hour, platform.now - hour + 1_000);
    expect(await status(short)).toBe(200);
    platform.advance(1_000);
    expect(await status(short)).toBe(401);
    expect(await status(token)).toBe(200);
  });

  it("has one token, which can be revoked at once; that for emergencies stays valid", async () => {
    const first = await create("carol");
    const second = await create("carol");
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    await revokeNamedAdmin(database, "carol", platform.now);
    expect(await status(second)).toBe(401);
    await platform.admin.ok("GET", "/iam/v2beta1/groups");
    await expect(revokeNamedAdmin(database, "carol", platform.now)).rejects.toThrow("there is no admin named carol");
  });

  it("is one of at most 100, of which the expired ones are deleted", async () => {
    for (const { name } of await database.read((tx) => namedAdmins(tx)))
      await revokeNamedAdmin(database, name, platform.now);
    await create("expired", 1, platform.now - 2);
    for (let number = 0; number < maximumNamedAdmins; number += 1) await create(`admin-${number}`);
    await expect(create("one-more")).rejects.toThrow("there are 100 named admins; revoke one with --revoke NAME");
    await create("admin-0");
    expect(await database.read((tx) => namedAdmins(tx))).toHaveLength(100);
  });
});
