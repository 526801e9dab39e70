import { create, type DescMethod, type DescService, type Message } from "@bufbuild/protobuf";
import { Groups } from "#src/platform/gen/muster/platform/iam/groups_pb.ts";
import { Identities } from "#src/platform/gen/muster/platform/iam/identities_pb.ts";
import { RoleBindings } from "#src/platform/gen/muster/platform/iam/role_bindings_pb.ts";
import { Roles } from "#src/platform/gen/muster/platform/iam/roles_pb.ts";
import { AccountAssociationsService } from "#src/platform/gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInvitesService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupsService } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentityProvidersService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { IdentitiesService } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingsService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { RolesService } from "#src/platform/gen/muster/platform/iam/v2beta1/role_pb.ts";
import { Registry } from "#src/platform/gen/muster/platform/registry/repos_pb.ts";
import { ReposService } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagsService } from "#src/platform/gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { AdvisoriesService } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import type { Content, Filter, Call, V1Kind } from "./call.testing.ts";
import type { ChangeableKind, Kind } from "./world.testing.ts";

interface Collection {
  readonly service: DescService;
  readonly one: string;
  readonly many: string;
}

const collections: Readonly<Record<Kind, Collection>> = {
  groups: { service: GroupsService, one: "group", many: "groups" },
  identities: { service: IdentitiesService, one: "identity", many: "identities" },
  roles: { service: RolesService, one: "role", many: "roles" },
  roleBindings: { service: RoleBindingsService, one: "roleBinding", many: "roleBindings" },
  identityProviders: { service: IdentityProvidersService, one: "identityProvider", many: "identityProviders" },
  accountAssociations: { service: AccountAssociationsService, one: "accountAssociation", many: "accountAssociations" },
  groupInvites: { service: GroupInvitesService, one: "groupInvite", many: "groupInvites" },
  repos: { service: ReposService, one: "repo", many: "repos" },
  tags: { service: TagsService, one: "tag", many: "tags" },
  advisories: { service: AdvisoriesService, one: "advisory", many: "advisories" },
};

const v1Lists = {
  groups: Groups.method.list,
  identities: Identities.method.list,
  roles: Roles.method.list,
  roleBindings: RoleBindings.method.list,
  repos: Registry.method.listRepos,
} satisfies Readonly<Record<V1Kind, DescMethod>>;

/** The method and the request message of a call. */
export function protoCallOf(call: Call): { readonly method: DescMethod; readonly request: Message } {
  if (call.verb === "listV1") {
    const method = v1Lists[call.kind];
    const request = { uidp: filterOf(call.filter), id: call.id?.uid ?? "" };
    return { method, request: create(method.input, request as never) };
  }
  const { service, one, many } = collections[call.kind];
  const name = call.verb === "list" ? many : one;
  const localName = call.verb + name.charAt(0).toUpperCase() + name.slice(1);
  const method = service.methods.find((method_) => method_.localName === localName);
  if (method === undefined) throw new Error(`${service.typeName} has no ${localName}`);
  return { method, request: create(method.input, requestOf(call, one) as never) };
}

/** The uids in the response to a List, sorted; undefined for other methods. */
export function uidsOf({ verb, kind }: Call, response: Message): readonly string[] | undefined {
  const lists = response as unknown as Readonly<Record<string, readonly { uid: string; id: string }[]>>;
  if (verb === "listV1") return (lists["items"] ?? []).map(({ id }) => id).toSorted();
  return verb === "list" ? (lists[collections[kind].many] ?? []).map(({ uid }) => uid).toSorted() : undefined;
}

function requestOf(call: Exclude<Call, { verb: "listV1" }>, one: string): object {
  switch (call.verb) {
    case "list":
      return { uidp: filterOf(call.filter), pageSize: 200 };
    case "get":
    case "delete":
      return { uid: call.target.uid };
    case "create":
      return { parent: call.parent?.uid ?? "", [one]: newResource(call.kind, call.content) };
    case "update": {
      const changes = changesOf(call.kind, call.content);
      const updateMask = {
        paths: Object.keys(changes).map((name) => name.replace(/[A-Z]/g, (x) => `_${x.toLowerCase()}`)),
      };
      const relationship = "relationship" in changes ? { updateMask: { paths: ["claim_match"] } } : {};
      return { [one]: { uid: call.target.uid, ...changes }, updateMask, ...relationship };
    }
  }
}

function filterOf({ descendantsOf, childrenOf, ancestorsOf, inRoot, ids }: Filter): object {
  return {
    descendantsOf: descendantsOf?.uid ?? "",
    childrenOf: childrenOf?.uid ?? "",
    ancestorsOf: ancestorsOf?.uid ?? "",
    inRoot: inRoot ?? false,
    ids: ids?.map(({ uid }) => uid) ?? [],
  };
}

function claimMatch(subject: string): object {
  const value = {
    iss: { case: "issuer", value: "https://issuer.example.com" },
    sub: { case: "subject", value: subject },
  };
  return { case: "claimMatch", value };
}

/** The body of a Create: the content, and valid values for the other required fields. */
function newResource(kind: ChangeableKind, content: Content): object {
  const role = content.role?.uid ?? "";
  switch (kind) {
    case "identities":
      return { name: "new", relationship: claimMatch("new") };
    case "roles":
      return { name: "new", capabilities: content.capabilities };
    case "roleBindings":
      return { identityUid: content.identity?.uid, roleUid: role };
    case "identityProviders": {
      const value = { issuer: "https://login.example.com", clientId: "c", pkceEnabled: true };
      return { name: "new", defaultRole: role, configuration: { case: "oidc", value } };
    }
    case "groupInvites":
      return { roleUid: role, ttl: { seconds: 60n } };
    case "tags":
      return { name: content.name, digest: `sha256:${"0".repeat(64)}` };
    case "groups":
    case "accountAssociations":
    case "repos":
      return { name: "new" };
  }
}

function changesOf(kind: ChangeableKind, content: Content): object {
  switch (kind) {
    case "identities":
      return content.assumption === undefined ? { description: "changed" } : { relationship: claimMatch("changed") };
    case "roles":
      return { capabilities: content.capabilities };
    case "roleBindings":
      return { identityUid: content.identity?.uid, roleUid: content.role?.uid };
    case "identityProviders":
      return { defaultRole: content.role?.uid };
    case "groupInvites":
      return { email: "changed@example.com" };
    case "groups":
    case "accountAssociations":
    case "repos":
    case "tags":
      return { description: "changed" };
  }
}
