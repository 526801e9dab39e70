import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let identity: string;
let binding: string;
let repo: string;
let viewer: string;
/** Sees only the team. */
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

const invalid = (field: string, description: string) => ({
  status: 400,
  body: { code: 3, message: expect.stringContaining(`${field}: ${description}`) as string },
});

describe("uids in filters", () => {
  it("are rejected with 3 if they name another resource type", async () => {
    const get = (path: string) => caller.get(path);
    const iam = "/iam/v2beta1";
    expect(await get(`${iam}/groups?uidp.descendants_of=${identity}`)).toMatchObject(
      invalid("uidp.descendants_of", `must name a group, but "${identity}" is an identity`),
    );
    expect(await get(`${iam}/identities?uidp.children_of=${binding}`)).toMatchObject(
      invalid("uidp.children_of", `must name a group, but "${binding}" is a role binding`),
    );
    expect(await get(`${iam}/identities?uidp.children_of=${viewer}`)).toMatchObject(
      invalid("uidp.children_of", `must name a group, but "${viewer}" is a role`),
    );
    expect(await get(`${iam}/identities?uidp.ids=${identity}&uidp.ids=${team}`)).toMatchObject(
      invalid("uidp.ids", `must name an identity, but "${team}" is a group`),
    );
    expect(await get(`${iam}/roleBindings?identity=${team}`)).toMatchObject(
      invalid("identity", `must name an identity, but "${team}" is a group`),
    );
    expect(await get(`${iam}/roleBindings?role=${identity}`)).toMatchObject(
      invalid("role", `must name a role, but "${identity}" is an identity`),
    );
    expect(await get(`${iam}/roleBindings?group=${repo}`)).toMatchObject(
      invalid("group", `must name a group, but "${repo}" is a repo`),
    );
    expect(await get(`/registry/v2beta1/tags?uidp.children_of=${identity}`)).toMatchObject(
      invalid("uidp.children_of", `must name a group or a repo, but "${identity}" is an identity`),
    );
    expect(await get(`/iam/v1/identities?id=${team}`)).toMatchObject(
      invalid("id", `must name an identity, but "${team}" is a group`),
    );
  });

  it("are rejected with 3 as an identity if they have no parent", async () => {
    const nowhere = "0".repeat(40);
    for (const path of [`roleBindings?identity=${nowhere}`, `identities?uidp.ids=${nowhere}`])
      expect(await caller.get(`/iam/v2beta1/${path}`)).toMatchObject({ status: 400, body: { code: 3 } });
  });

  it("give an empty list if the resource is missing or hidden", async () => {
    const elsewhere = await platform.admin.identity(await platform.admin.group(platform.root, "elsewhere"));
    const nobody = `${team}/${"0".repeat(16)}`;
    for (const uid of [elsewhere, nobody])
      for (const filter of ["groups?uidp.children_of", "groups?uidp.ids", "roleBindings?role", "roleBindings?group"])
        expect(await caller.get(`/iam/v2beta1/${filter}=${uid}`), filter).toMatchObject({
          status: 200,
          body: { totalCount: "0" },
        });
  });

  it("can name any resource type in ancestors_of", async () => {
    const { groups } = await platform.admin.ok("GET", `/iam/v2beta1/groups?uidp.ancestors_of=${binding}`);
    expect(groups.map(({ uid }) => uid)).toEqual([platform.root, team]);
  });
});
