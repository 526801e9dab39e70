import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import type { AuditRecord } from "../audit/audit-record.ts";
import { readAuditLog } from "../audit/read-records.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { countBelow } from "../resources/tree-counts.ts";
import { CountingWriter } from "../store/counting-reader.testing.ts";
import type { Database } from "../store/database.ts";
import { deleteBindingsOf } from "./role-binding-rows.ts";

describeOnEachBackend("deleting the role bindings of an identity", (open) => {
  let database: Database;
  let remove: () => Promise<void>;
  const root = newRootUid();
  const groups = Array.from({ length: 40 }, () => newUidIn(root));
  const [identity, other] = [newUidIn(root), newUidIn(root)];
  const author = { kind: "host", command: "test" } as const;

  beforeAll(async () => {
    ({ database, remove } = await open());
    await database.write(async (writer) => {
      const tx = new AuthoredWriter(writer, author, 0);
      for (let n = 0; n < 300; n++) {
        const uid = newUidIn(groups[n % groups.length] ?? root);
        const identityUid = n < 250 ? identity : other;
        await roleBindings.insert(tx, create(RoleBindingSchema, { uid, identityUid, roleUid: root }));
      }
    });
  }, 60_000);
  afterAll(() => remove());

  it("takes a few statements for 100 bindings, and deletes at most as many in a transaction", async () => {
    const deleteSome = () =>
      database.write(async (writer) => {
        const counting = new CountingWriter(writer);
        const isLast = await deleteBindingsOf(new AuthoredWriter(counting, author, 1), identity);
        return { isLast, statements: counting.statements };
      });
    const first = await deleteSome();
    expect(first.isLast).toBe(false);
    // One after the other, they were 500.
    expect(first.statements).toBeLessThan(12);
    expect(await deleteSome()).toMatchObject({ isLast: false });
    expect(await deleteSome()).toMatchObject({ isLast: true });
    const counts = await database.read(async (tx) => [
      await countBelow(tx, "role_bindings", { kind: "everything" }),
      await countBelow(tx, "role_bindings", { kind: "descendants", uid: root }),
      await countBelow(tx, "role_bindings", { kind: "children", uid: groups[0] ?? "" }),
    ]);
    expect(counts.slice(0, 2)).toEqual([50, 50]);
    expect(counts[2]).toBeLessThan(3);
    const filter = { since: 1 };
    const records: AuditRecord[] = [];
    for await (const record of readAuditLog((work) => database.read(work), filter)) records.push(record);
    expect(records).toHaveLength(250);
    expect(records[0]).toMatchObject({
      action: "delete",
      type: "role binding",
      fields: { identityUid: { old: identity } },
    });
  });
});
