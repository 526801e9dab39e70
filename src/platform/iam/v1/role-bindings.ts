import { create } from "@bufbuild/protobuf";
import { roleBindings } from "../../collections/role-bindings.ts";
import {
  type RoleBindingList_Binding as RoleBinding,
  RoleBindingList_BindingSchema as RoleBindingSchema,
  RoleBindingListSchema,
  RoleBindings,
} from "../../gen/muster/platform/iam/role_bindings_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Sessions } from "../../service/session.ts";
import { type BindingWithReferences, withReferences } from "../role-binding-rows.ts";
import { v1Group } from "./groups.ts";
import { v1Role } from "./roles.ts";

/** The v1 API of role bindings. */
export function v1RoleBindingsService(sessions: Sessions): Service {
  return implement(RoleBindings, {
    list: (filter, call) =>
      sessions.read(call, async (session) => {
        const bindings = await listAll(session, roleBindings, filter);
        const items = (await withReferences(session.tx, bindings)).map(v1RoleBinding);
        return create(RoleBindingListSchema, { items });
      }),
  });
}

function v1RoleBinding({ binding, identity, group, role }: BindingWithReferences): RoleBinding {
  return create(RoleBindingSchema, {
    id: binding.uid,
    identity: binding.identityUid,
    ...(group === undefined ? {} : { group: v1Group(group) }),
    ...(role === undefined ? {} : { role: v1Role(role) }),
    claimMatchIssuer: identity?.issuer ?? "",
    claimMatchSubject: identity?.subject ?? "",
    ...(binding.createTime === undefined ? {} : { createdAt: binding.createTime }),
  });
}
