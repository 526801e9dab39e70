import { create, type DescMethod, toJson } from "@bufbuild/protobuf";
import type { Caller } from "#src/platform/authorization/caller.ts";
import { GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { GroupInvitesService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { IdentityProvidersService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RolesService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import type { InProcess } from "#src/platform/tests/access-model/in-process.testing.ts";
import type { ListQuery, ReadApi, ResourcePage } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";

const lists: Readonly<Record<string, DescMethod>> = {
  groups: GroupsService.method.listGroups,
  identities: IdentitiesService.method.listIdentities,
  roles: RolesService.method.listRoles,
  roleBindings: RoleBindingsService.method.listRoleBindings,
  identityProviders: IdentityProvidersService.method.listIdentityProviders,
  groupInvites: GroupInvitesService.method.listGroupInvites,
};

const gets: Readonly<Record<string, DescMethod>> = {
  groups: GroupsService.method.getGroup,
  identities: IdentitiesService.method.getIdentity,
  roles: RolesService.method.getRole,
  roleBindings: RoleBindingsService.method.getRoleBinding,
};

/** Reads a platform in this process, as a caller, through the JSON of its responses. */
export function inProcessApi(platform: InProcess, caller: Caller): ReadApi {
  return {
    async list<R extends ExternalResource>(
      { name, schema }: ResourceType<R>,
      { pageToken = "" }: ListQuery,
    ): Promise<ResourcePage<R>> {
      const method = lists[name];
      if (method === undefined) throw new Error(`${name} are not read`);
      const request = create(method.input, { pageSize: 7, orderBy: "uid", pageToken });
      const page = toJson(method.output, await platform.call(method, request, caller)) as Record<string, unknown>;
      const next = page["nextPageToken"];
      return {
        resources: ((page[name] ?? []) as unknown[]).map((resource) => schema.parse(resource)),
        totalCount: Number(page["totalCount"]),
        ...(typeof next === "string" && next !== "" ? { nextPageToken: next } : {}),
      };
    },
    async get<R extends ExternalResource>({ name, schema }: ResourceType<R>, uid: string): Promise<R> {
      const method = gets[name];
      if (method === undefined) throw new Error(`${name} are not read`);
      const request = create(method.input, { uid });
      return schema.parse(toJson(method.output, await platform.call(method, request, caller)));
    },
  };
}
