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
  it("records who changed which fields, when, and on whose behalf", async () => {
    const owner = await platform.callerWith("owner", root);
    const before = Date.now();
    const group = await owner.group(root, "audited");
    await owner.ok("PATCH", `/iam/v2beta1/groups/${group}`, { description: "seen" });
    await admin.ok("DELETE", `/iam/v2beta1/groups/${group}`);
    const records = await audit({ resource: group });
    expect(records.map(({ actor, action, type, uid, fields }) => ({ actor, action, type, uid, fields }))).toEqual([
      {
        actor: {
          kind: "identity",
          uid: owner.identity,
          onBehalfOf: { iss: "https://issuer.example.com", sub: "caller", aud: "127.0.0.1" },
        },
        action: "create",
        type: "group",
        uid: group,
        fields: { name: { new: "audited" } },
      },
      expect.objectContaining({ action: "update", fields: { description: { new: "seen" } } }),
      {
        actor: { kind: "admin" },
        action: "delete",
        type: "group",
        uid: group,
        fields: { name: { old: "audited" }, description: { old: "seen" } },
      },
    ]);
    for (const { time } of records) {
      expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });

  it("records nothing for a failed call or for one that changes nothing", async () => {
    const group = await admin.group(root, "quiet");
    const batch = batchWithMissingIdentity(group, await admin.identity(group), await admin.role("viewer"));
    const known = await audit();
    expect((await admin.post(`/iam/v2beta1/groups/${group}`, { name: "NOT A NAME" })).status).toBe(400);
    expect((await admin.post("/iam/v2beta1/roleBindings:batchCreate", batch)).status).toBe(404);
    expect((await admin.patch(`/iam/v2beta1/groups/${group}`, { name: "quiet" })).status).toBe(200);
    expect((await admin.get(`/iam/v2beta1/groups/${group}`)).status).toBe(200);
    expect(await audit()).toEqual(known);
  });

  it("records changes in every collection, including resources that are deleted with another", async () => {
    const group = await admin.group(root, "whole");
    const identity = await admin.identity(group);
    const binding = await admin.bind(group, identity, await admin.role("viewer"));
    const oidc = { issuer: "https://login.example.com", clientId: "c", clientSecret: "hunter2" };
    const provider = { name: "p", defaultRole: await admin.role("viewer"), oidc };
    await admin.ok("POST", `/iam/v2beta1/identityProviders/${group}`, provider);
    const invite = { roleUid: await admin.role("viewer"), email: "a@example.com", ttl: "3600s" };
    const { code } = await admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, invite);
    await admin.ok("POST", `/registry/v2beta1/repos/${group}`, { name: "repo" });
    await admin.ok("POST", `/iam/v2beta1/accountAssociations/${group}`, {
      name: "a",
      google: { projectId: "p", projectNumber: "1" },
    });
    await admin.ok("DELETE", `/iam/v2beta1/identities/${identity}`);
    const records = await audit({ resource: group });
    expect(records.map(({ action, type }) => `${action} ${type}`).toSorted()).toEqual([
      "create account association",
      "create group",
      "create group invite",
      "create identity",
      "create identity provider",
      "create repo",
      "create role binding",
      "delete identity",
      "delete role binding",
    ]);
    expect(records.find(({ action, uid }) => action === "delete" && uid === binding)).toBeDefined();
    expect(code).toMatch(/.{16,}/);
    expect(JSON.stringify(records)).not.toContain("hunter2");
    expect(JSON.stringify(records)).not.toContain(String(code));
    expect(JSON.stringify(records)).toContain("(secret)");
  });

  it("records that all tokens of an identity ended, however that was caused", async () => {
    const caller = await platform.callerWith("viewer", root);
    const path = `/iam/v2beta1/identities/${caller.identity}`;
    const ended = async () =>
      (await audit({ resource: caller.identity })).flatMap(({ action, method }) =>
        action === "revokeTokens" ? [method.replace(/^.*\//, "")] : [],
      );
    await admin.ok("PATCH", path, { description: "the tokens remain" });
    expect(await ended()).toEqual([]);
    await admin.ok("PATCH", path, { staticKeys: { subject: "another" } });
    await admin.ok("POST", `${path}:revokeTokens`);
    expect(await ended()).toEqual(["UpdateIdentity", "RevokeTokens"]);
  });

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

/** A batch that fails because its last binding is for a missing identity. */
function batchWithMissingIdentity(group: string, identity: string, roleUid: string): object {
  const request = (identityUid: string) => ({ parent: group, roleBinding: { identityUid, roleUid } });
  return { parent: group, requests: [request(identity), request(`${group}/${"0".repeat(16)}`)] };
}
