import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import type { Method } from "./api.ts";

/** Creates several role bindings, or none. */
export const batchCreate: Method = {
  http: { verb: "POST", path: "/iam/v2beta1/roleBindings:batchCreate" },
  rpc: RoleBindingsService.method.batchCreateRoleBindings,
};

/** Finds the uid of an identity by its issuer and subject. */
export const lookup: Method = {
  http: { verb: "GET", path: "/iam/v2beta1/identities:lookupIdentity" },
  rpc: IdentitiesService.method.lookupIdentity,
};
