import { create } from "@bufbuild/protobuf";
import { withEveryField } from "../../contract/every-field.ts";
import { roleBindings } from "../../collections/role-bindings.ts";
import {
  type RoleBindingList_Binding as RoleBinding,
  RoleBindingList_BindingSchema as RoleBindingSchema,
  RoleBindingListSchema,
  RoleBindings,
} from "../../gen/muster/platform/iam/role_bindings_pb.ts";
import type { RoleBinding as CurrentBinding } from "../../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Transaction, Transactions } from "../../service/transaction.ts";
import { type BindingWithReferences, withReferences } from "../role-binding-rows.ts";
import { v1Group } from "./groups.ts";
import { v1Role } from "./roles.ts";

/** The v1 API of role bindings. */
export function v1RoleBindingsService(transactions: Transactions): Service {
  return implement(RoleBindings, {
    list: async (filter, call) => {
      const v1 = async ({ tx }: Transaction, found: CurrentBinding[]) =>
        (await withReferences(tx, found)).map(v1RoleBinding);
      const { items, rest } = await listAll(transactions, call, roleBindings, { filter, v1 });
      return withRest(create(RoleBindingListSchema, { items }), rest);
    },
  });
}

function v1RoleBinding({ binding, identity, group, role }: BindingWithReferences): RoleBinding {
  return withEveryField(RoleBindingSchema, {
    id: binding.uid,
    identity: binding.identityUid,
    group: group && v1Group(group),
    role: role && v1Role(role),
    claimMatchIssuer: identity?.issuer ?? "",
    claimMatchSubject: identity?.subject ?? "",
    createdAt: binding.createTime,
  });
}
