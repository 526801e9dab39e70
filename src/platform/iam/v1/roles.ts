import { create } from "@bufbuild/protobuf";
import { dottedNameOf } from "../../access/capability.ts";
import { type Role, RoleListSchema, Roles, RoleSchema } from "../../gen/muster/platform/iam/roles_pb.ts";
import type { Role as CurrentRole } from "../../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { listAll } from "../../handlers/list-all.ts";
import { implement, type Service } from "../../service/service.ts";
import type { Sessions } from "../../service/session.ts";
import { roles } from "../../collections/roles.ts";

/** v1 of the roles. */
export function v1RolesService(sessions: Sessions): Service {
  return implement(Roles, {
    list: (filter, call) =>
      sessions.read(call, async (session) => {
        const items = await listAll(session, roles, filter, { rootsArePublic: true });
        return create(RoleListSchema, { items: items.map(v1Role) });
      }),
  });
}

/** A role as v1 shows it: without times, its capabilities by their dotted names. */
export function v1Role({ uid, name, description, capabilities }: CurrentRole): Role {
  return create(RoleSchema, { id: uid, name, description, capabilities: capabilities.map(dottedNameOf) });
}
