import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { InterruptedDatabase } from "#src/platform/tests/interrupted-database.testing.ts";
import { settingsAt } from "#src/platform/tests/settings-at.testing.ts";
import { ownerRole } from "../authorization/builtin-roles.ts";
import { notDownscoped } from "../authorization/caller.ts";
import { AuditAccounts } from "../audit/audit-accounts.ts";
import type { AuditRecord } from "../audit/audit-record.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { groupInvites } from "../collections/group-invites.ts";
import { groups } from "../collections/groups.ts";
import { identities } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { PageTokens } from "../resources/page-token.ts";
import { countBelow } from "../resources/tree-counts.ts";
import { Transactions } from "../service/transaction.ts";
import { DatabaseUnavailableError } from "../store/database.ts";
import { deleteGroup } from "./groups.ts";

const now = 1_000_000;
const invites = 350;
/** The resources that one transaction deletes. */
const together = 100;

describeOnEachBackend("deleting a group with many expired invites", (open) => {
  let database: InterruptedDatabase;
  let remove: () => Promise<void>;
  let transactions: Transactions;
  const root = newRootUid();
  let [group, binding] = ["", ""];
  const caller = {
    kind: "identity",
    uid: newUidIn(root),
    stamp: { value: "", key: undefined },
    downscoping: notDownscoped,
    actor: undefined,
  } as const;
  const call = { caller, method: "DeleteGroup", address: "192.0.2.1" };

  const change = (work: (tx: AuthoredWriter) => Promise<unknown>) =>
    database.inner.write((writer) => work(new AuthoredWriter(writer, { kind: "host", command: "test" }, 0)));
  const invite = (expires: number) => (tx: AuthoredWriter) =>
    groupInvites.insert(
      tx,
      create(GroupInviteSchema, {
        uid: newUidIn(group),
        roleUid: ownerRole.uid,
        expirationTime: timestampFromMs(expires),
      }),
    );
  const left = () =>
    database.inner.read(async (tx) => ({
      groups: (await groups.find(tx, group)) === undefined ? 0 : 1,
      invites: await countBelow(tx, "group_invites", { kind: "descendants", uid: group }),
    }));
  const deletions = async () => {
    const found: AuditRecord[] = [];
    for await (const record of readAuditLog((work) => database.inner.read(work), { since: now }))
      if (record.uid.startsWith(group)) found.push(record);
    return found;
  };

  beforeAll(async () => {
    const opened = await open();
    ({ remove } = opened);
    database = new InterruptedDatabase(opened.database);
    const settings = settingsAt("http://127.0.0.1");
    const pageTokens = new PageTokens(new Uint8Array(32));
    transactions = new Transactions(database, () => now, settings, pageTokens, new AuditAccounts(settings.quota));
    await change(async (tx) => {
      await groups.insert(tx, create(GroupSchema, { uid: root, name: "root" }));
      await identities.insert(tx, create(IdentitySchema, { uid: caller.uid, name: "caller" }));
    });
  });
  afterAll(() => remove());
  beforeEach(async () => {
    database.reset();
    group = newUidIn(root);
    const { uid } = ownerRole;
    await change(async (tx) => {
      await roleBindings.delete(tx, binding);
      binding = newUidIn(root);
      await groups.insert(tx, create(GroupSchema, { uid: group, name: "abandoned" }));
      await roleBindings.insert(tx, create(RoleBindingSchema, { uid: binding, identityUid: caller.uid, roleUid: uid }));
      for (let n = 0; n < invites; n++) await invite(now - 1)(tx);
    });
  }, 60_000);

  it("takes a few statements in each of several transactions, and one record for each resource", async () => {
    await deleteGroup(transactions, call, group);
    expect(await left()).toEqual({ groups: 0, invites: 0 });
    expect(database.writes).toHaveLength(4);
    // One invite after the other, they were 1,750 in one transaction.
    expect(Math.max(...database.writes)).toBeLessThan(40);
    const records = await deletions();
    expect(records.map(({ type }) => type).toSorted()).toEqual([
      "group",
      ...Array.from({ length: invites }, () => "group invite"),
    ]);
    expect(new Set(records.map(({ uid }) => uid)).size).toBe(invites + 1);
    for (const record of records)
      expect(record).toMatchObject({ action: "delete", actor: { uid: caller.uid }, method: "DeleteGroup" });
  });

  it.each([
    ["an invite that is valid is created", () => change(invite(now + 1)), { code: 9 }, 2],
    [
      "a resource is created in the group",
      () => change((tx) => groups.insert(tx, create(GroupSchema, { uid: newUidIn(group), name: "child" }))),
      { code: 9 },
      1,
    ],
    ["the caller loses the right", () => change((tx) => roleBindings.delete(tx, binding)), { code: 5 }, 1],
    ["the database fails", () => Promise.reject(new DatabaseUnavailableError("it is full")), { outcome: "partial" }, 1],
  ])(
    "stops if %s between two parts, and keeps the group and what it has recorded",
    async (_, interrupt, error, parts) => {
      database.before(parts + 1, interrupt);
      await expect(deleteGroup(transactions, call, group)).rejects.toMatchObject(error);
      const kept = await left();
      expect(kept.groups).toBe(1);
      expect(await deletions()).toHaveLength(together * parts);
    },
  );

  it("can be repeated after it stopped", async () => {
    database.before(2, () => Promise.reject(new DatabaseUnavailableError("it is full")));
    await deleteGroup(transactions, call, group).catch(() => {});
    await deleteGroup(transactions, call, group);
    expect(await left()).toEqual({ groups: 0, invites: 0 });
    expect(await deletions()).toHaveLength(invites + 1);
  });
});
