import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccountAssociationsService } from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitiesService } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { RoleBindingsService } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { TagsService } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { type Client, RunningPlatform } from "./running-platform.ts";

let platform: RunningPlatform;
let team: string;
let identity: string;
let binding: string;
let repo: string;
let viewer: string;
/** Sees the team alone. */
let caller: Client & { identity: string };
beforeAll(async () => {
  platform = await RunningPlatform.start();
  const { admin, root } = platform;
  team = await admin.group(root, "team");
  identity = await admin.identity(team);
  viewer = await admin.role("viewer");
  binding = await admin.bind(team, identity, viewer);
  repo = (await admin.ok("POST", `/registry/v2beta1/repos/${team}`, { name: "repo" })).uid;
  await admin.ok("POST", `/iam/v2beta1/accountAssociations/${team}`, {
    name: "a",
    amazon: { account: "1".repeat(12) },
  });
  caller = await platform.callerWith("viewer", team);
});
afterAll(() => platform.stop());

const refused = (field: string, description: string) => ({
  status: 400,
  body: { code: 3, message: expect.stringContaining(`${field}: ${description}`) as string },
});

describe("A uid of the wrong kind is code 3 in a filter", () => {
  it("over REST", async () => {
    const get = (path: string) => caller.get(path);
    const iam = "/iam/v2beta1";
    expect(await get(`${iam}/groups?uidp.descendants_of=${identity}`)).toMatchObject(
      refused("uidp.descendants_of", `must name a group, but "${identity}" is an identity`),
    );
    expect(await get(`${iam}/identities?uidp.children_of=${binding}`)).toMatchObject(
      refused("uidp.children_of", `must name a group, but "${binding}" is a role binding`),
    );
    expect(await get(`${iam}/identities?uidp.children_of=${viewer}`)).toMatchObject(
      refused("uidp.children_of", `must name a group, but "${viewer}" is a role`),
    );
    expect(await get(`${iam}/identities?uidp.ids=${identity}&uidp.ids=${team}`)).toMatchObject(
      refused("uidp.ids", `must name an identity, but "${team}" is a group`),
    );
    expect(await get(`${iam}/roleBindings?identity=${team}`)).toMatchObject(
      refused("identity", `must name an identity, but "${team}" is a group`),
    );
    expect(await get(`${iam}/roleBindings?role=${identity}`)).toMatchObject(
      refused("role", `must name a role, but "${identity}" is an identity`),
    );
    expect(await get(`${iam}/roleBindings?group=${repo}`)).toMatchObject(
      refused("group", `must name a group, but "${repo}" is a repo`),
    );
    expect(await get(`/registry/v2beta1/tags?uidp.children_of=${identity}`)).toMatchObject(
      refused("uidp.children_of", `must name a group or a repo, but "${identity}" is an identity`),
    );
    expect(await get(`/iam/v1/identities?id=${team}`)).toMatchObject(
      refused("id", `must name an identity, but "${team}" is a group`),
    );
  });

  it("over gRPC", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const as = { headers: { authorization: `Bearer ${caller.token}` } };
    const wrong = { code: Code.InvalidArgument };
    const groups = createClient(GroupsService, transport);
    await expect(groups.listGroups({ uidp: { childrenOf: identity } }, as)).rejects.toMatchObject(wrong);
    await expect(groups.listGroups({ uidp: { ids: [binding] } }, as)).rejects.toMatchObject(wrong);
    const bindings = createClient(RoleBindingsService, transport);
    await expect(bindings.listRoleBindings({ identity: binding }, as)).rejects.toMatchObject(wrong);
    await expect(bindings.listRoleBindings({ role: team }, as)).rejects.toMatchObject(wrong);
    await expect(bindings.listRoleBindings({ group: identity }, as)).rejects.toMatchObject(wrong);
    const identities = createClient(IdentitiesService, transport);
    await expect(identities.listIdentities({ uidp: { descendantsOf: identity } }, as)).rejects.toMatchObject(wrong);
    // Of the right kind.
    expect((await identities.listIdentities({ uidp: { ids: [identity], childrenOf: team } }, as)).totalCount).toBe(1n);
    const tags = createClient(TagsService, transport);
    expect((await tags.listTags({ uidp: { childrenOf: repo } }, as)).totalCount).toBe(0n);
    const associations = createClient(AccountAssociationsService, transport);
    expect((await associations.listAccountAssociations({ uidp: { ids: [team] } }, as)).totalCount).toBe(1n);
  });

  it("of a uid without a parent the shape alone tells that it is no identity", async () => {
    const nowhere = "0".repeat(40);
    for (const path of [`roleBindings?identity=${nowhere}`, `identities?uidp.ids=${nowhere}`])
      expect(await caller.get(`/iam/v2beta1/${path}`)).toMatchObject({ status: 400, body: { code: 3 } });
  });

  it("what is not there, or not to be seen, is no mistake: the list is empty", async () => {
    const elsewhere = await platform.admin.identity(await platform.admin.group(platform.root, "elsewhere"));
    const nobody = `${team}/${"0".repeat(16)}`;
    for (const uid of [elsewhere, nobody])
      for (const filter of ["groups?uidp.children_of", "groups?uidp.ids", "roleBindings?role", "roleBindings?group"])
        expect(await caller.get(`/iam/v2beta1/${filter}=${uid}`), filter).toMatchObject({
          status: 200,
          body: { totalCount: "0" },
        });
  });

  it("anything may be asked for its ancestors", async () => {
    const { groups } = await platform.admin.ok("GET", `/iam/v2beta1/groups?uidp.ancestors_of=${binding}`);
    expect(groups.map(({ uid }) => uid)).toEqual([platform.root, team]);
  });
});
