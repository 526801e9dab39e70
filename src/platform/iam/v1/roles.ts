import { create } from "@bufbuild/protobuf";
import { dottedNameOf } from "../../authorization/capability.ts";
import { withEveryField } from "../../contract/every-field.ts";
import { roles } from "../../collections/roles.ts";
import { type Role, RoleListSchema, Roles, RoleSchema } from "../../gen/muster/platform/iam/roles_pb.ts";
import type { Role as CurrentRole } from "../../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { withRest } from "../../service/rest-of-list.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Transaction, Transactions } from "../../service/transaction.ts";

/** The v1 API of roles. */
export function v1RolesService(transactions: Transactions): Service {
  return implement(Roles, {
    list: async (filter, call) => {
      const v1 = (_: Transaction, found: CurrentRole[]) => found.map(v1Role);
      const { items, rest } = await listAll(transactions, call, roles, { filter, v1, rootsArePublic: true });
      return withRest(create(RoleListSchema, { items }), rest);
    },
  });
}

/** The v1 form of a role, with dotted names of capabilities and without times. */
export function v1Role({ uid, name, description, capabilities }: CurrentRole): Role {
  const dotted = capabilities.map(dottedNameOf);
  return withEveryField(RoleSchema, { id: uid, name, description, capabilities: dotted });
}
