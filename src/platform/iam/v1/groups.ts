import { create } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { groups } from "../../collections/groups.ts";
import { withEveryField } from "../../contract/every-field.ts";
import { applyMask } from "../../contract/field-mask.ts";
import { type Group, GroupListSchema, Groups, GroupSchema } from "../../gen/muster/platform/iam/groups_pb.ts";
import {
  type Group as CurrentGroup,
  GroupSchema as CurrentGroupSchema,
} from "../../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Transaction, Transactions } from "../../service/transaction.ts";
import { createGroup, deleteGroup, groupToUpdate, updateGroup } from "../groups.ts";

/** The v1 API of groups: the same resources and rules in an older form. */
export function v1GroupsService(transactions: Transactions): Service {
  return implement(Groups, {
    list: async (filter, call) => {
      const v1 = (_: Transaction, found: CurrentGroup[]) => found.map(v1Group);
      const { items, rest } = await listAll(transactions, call, groups, { filter, v1 });
      return withRest(create(GroupListSchema, { items }), rest);
    },

    create: ({ parent, group }, call) =>
      transactions.write(call, async (transaction) =>
        v1Group(await createGroup(transaction, parent, currentGroup(group))),
      ),

    // A full replacement: the fields of v1 that the request omits are reset, and what v1 does not know stays. For others than the
    // admin, that excludes what only the admin can change.
    update: (group, call) =>
      transactions.write(call, async (transaction) => {
        const current = await groupToUpdate(transaction, group.id);
        const retained = transaction.caller.kind === "admin" ? [] : omittedLimits(group);
        const paths = sharedFields.filter(({ name }) => !retained.includes(name)).map((field) => [field]);
        const updated = applyMask(CurrentGroupSchema, current, currentGroup(group), { kind: "fields", paths });
        return v1Group(await updateGroup(transaction, current, updated));
      }),

    delete: async ({ id }, call) => {
      await deleteGroup(transactions, call, id);
      return create(EmptySchema);
    },
  });
}

/** The v1 form of a group, which has no times. */
export function v1Group({ uid, name, description, resourceLimits, verified }: CurrentGroup): Group {
  return withEveryField(GroupSchema, { id: uid, name, description, resourceLimits, verified });
}

/** The fields of a group that v1 has, too, under the same names. */
const sharedFields = CurrentGroupSchema.fields.filter(({ name }) => GroupSchema.fields.some((v1) => v1.name === name));

/** The current form of a group in a v1 request. */
function currentGroup(group: Group = create(GroupSchema)): CurrentGroup {
  const { $typeName: _v1, $unknown: _none, id: _path, ...fields } = group;
  return create(CurrentGroupSchema, fields);
}

/** What only the admin can change and the group omits. */
function omittedLimits({ verified, resourceLimits }: Group): string[] {
  return [...(verified ? [] : ["verified"]), ...(Object.keys(resourceLimits).length > 0 ? [] : ["resource_limits"])];
}
