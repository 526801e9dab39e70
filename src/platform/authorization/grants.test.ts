import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import { describeOnEachBackend } from "#src/platform/tests/describe-on-each-backend.testing.ts";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { identities } from "../collections/identities.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newRootUid, newUidIn } from "../contract/uid.ts";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingSchema } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { CountingReader } from "../store/counting-reader.testing.ts";
import { settleAll } from "../store/settle-all.ts";
import { builtinRoles } from "./builtin-roles.ts";
import { grantsOf } from "./grants.ts";

describeOnEachBackend("the grants of an identity", (open) => {
  it.each([0, 1, 999, 1_000, 2_300])(
    "are those of all of its bindings: %i, 1,000 with each statement",
    async (count) => {
      const { database, remove } = await open();
      const root = newRootUid();
      const [identityUid, other] = [newUidIn(root), newUidIn(root)];
      const granted = Array.from({ length: count }, () => newUidIn(root));
      const roleUid = builtinRoles[0]?.uid ?? "";
      const createTime = timestampFromMs(1_700_000_000_000);
      await database.write(async (writer) => {
        const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
        for (const uid of [identityUid, other])
          await identities.insert(tx, create(IdentitySchema, { uid, name: "a", createTime, updateTime: createTime }));
        const bind = (group: string, identity: string) =>
          roleBindings.insert(
            tx,
            create(RoleBindingSchema, { uid: newUidIn(group), identityUid: identity, roleUid, createTime }),
          );
        await settleAll(granted.map((group) => bind(group, identityUid)));
        for (let n = 0; n < 5; n++) await bind(newUidIn(root), other);
      });
      let statements = 0;
      const grants = await database.read(async (tx) => {
        const reader = new CountingReader(tx);
        const found = await grantsOf(reader, identityUid);
        ({ statements } = reader);
        return found;
      });
      expect(grants.map(({ group }) => group).toSorted()).toEqual(granted.toSorted());
      expect(statements).toBe(1 + Math.floor(count / 1_000));
      await remove();
    },
  );
});
