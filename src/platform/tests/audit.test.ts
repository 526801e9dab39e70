import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { record } from "../audit/audit-log.ts";
import type { AuditRecord } from "../audit/audit-record.ts";
import { readAuditLog } from "../audit/read-records.ts";
import type { RecordFilter } from "../audit/record-query.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let admin: Client;
let root: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ admin, root } = platform);
});
afterAll(() => platform.stop());

/**
 * Reads the changes in the audit log as `muster platform audit` does while a platform runs. Events, such as a read by the
 * admin, are recorded some time after them.
 */
const audit = async (filter: RecordFilter = {}): Promise<AuditRecord[]> => {
  const database = await platform.openDatabase();
  try {
    const records: AuditRecord[] = [];
    for await (const entry of readAuditLog((work) => database.read(work), filter))
      if (!isEvent(entry)) records.push(entry);
    return records;
  } finally {
    await database.close();
  }
};

const isEvent = ({ action }: AuditRecord) => action === "use" || action === "refuse";

describe("audit", () => {
  it("begins with what exists from the start: built-in roles, the root group and the admin token", async () => {
    const records = await audit({ actor: "platform" });
    expect(new Set(records.map(({ action, type }) => `${action} ${type}`))).toEqual(
      new Set(["create role", "create group", "create admin token"]),
    );
    expect(records[0]).toMatchObject({ form: "full", changeCount: 1, type: "role" });
  });

  it("can be filtered by time, by resource with its descendants, and by actor", async () => {
    const from = Date.now() + 60_000;
    platform.advance(60_000);
    const parent = await admin.group(root, "parent");
    const child = await admin.group(parent, "child");
    expect((await audit({ resource: parent })).map(({ uid }) => uid)).toEqual([parent, child]);
    expect((await audit({ since: from })).map(({ uid }) => uid)).toEqual([parent, child]);
    expect((await audit({ until: from })).some(({ uid }) => uid === parent)).toBe(false);
    expect((await audit({ actor: "admin", since: from })).length).toBe(2);
    expect(await audit({ actor: "host" })).toEqual([]);
    expect((await audit({ actor: "platform" })).every(({ actor }) => actor.kind === "platform")).toBe(true);
  });

  it("loses exactly the records older than the retention when a platform starts, and keeps what decides access", async () => {
    const database = await platform.openDatabase();
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, Date.UTC(2020, 1));
      await record(tx, { action: "create", type: "repo", uid: "old/repo", fields: {} });
      await record(tx, { action: "create", type: "group", uid: "old", fields: { name: { new: "old" } } });
    });
    await database.close();
    const others = await audit({ since: Date.UTC(2020, 2) });
    expect(await audit({ resource: "old" })).toHaveLength(2);
    expect(await admin.ok("GET", "/audit/v1beta1/records")).not.toHaveProperty("completeSince");
    const replica = await RunningPlatform.start({}, { replicaOf: platform, auditRetention: 365 * 24 * 3_600_000 });
    const kept = () => audit({ resource: "old" });
    await vi.waitUntil(async () => (await kept()).length === 1);
    await replica.stop();
    expect(await kept()).toMatchObject([
      { form: "state", type: "group", uid: "old", fields: { name: { new: "old" } } },
    ]);
    expect(await audit({ since: Date.UTC(2020, 2) })).toEqual(others);
    expect(await admin.ok("GET", "/audit/v1beta1/records")).toHaveProperty("completeSince");
  });
});
