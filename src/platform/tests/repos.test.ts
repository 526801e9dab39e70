import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hidden, Registry, repoPath, tagPath } from "./registry-calls.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
let makeRepo: Registry["makeRepo"];
let makeTag: Registry["makeTag"];
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ team, makeRepo, makeTag } = await Registry.on(platform));
});
afterAll(() => platform.stop());

describe("repos", () => {
  it("A repo is <group>/<16 hex>; zero values are written out", async () => {
    const made = await platform.admin.ok("POST", repoPath(team), {
      name: "nginx",
      catalogTier: "CATALOG_TIER_APPLICATION",
      aliases: ["web"],
    });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      name: "nginx",
      description: "",
      catalogTier: "CATALOG_TIER_APPLICATION",
      bundles: [],
      aliases: ["web"],
      activeTags: [],
      createTime: expect.stringMatching(/\.\d{3}Z$/),
      updateTime: made.createTime,
    });
    expect(await platform.admin.ok("GET", repoPath(made.uid))).toEqual(made);
    expect(await platform.admin.ok("GET", `/registry/v2beta1/repos?uidp.ids=${made.uid}`)).toEqual({
      repos: [made],
      totalCount: "1",
      skipped: 0,
    });
  });

  it.each([
    [{}, "name"],
    [{ name: "Upper" }, "name"],
    [{ name: "a", description: "x".repeat(513) }, "description"],
    [{ name: "a", catalogTier: "CATALOG_TIER_GOLD" }, "catalogTier"],
    [{ name: "a", nope: 1 }, "nope"],
  ])("refuses %j, naming %s", async (body, field) => {
    expect((await platform.admin.post(repoPath(team), body)).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field }] }],
    });
  });

  it("Without updateMask, only the fields present in the body are changed; lists are replaced whole", async () => {
    const { uid, createTime } = await platform.admin.ok("POST", repoPath(team), {
      name: "before",
      description: "d",
      aliases: ["a", "b"],
    });
    platform.advance(1_000);
    const after = await platform.admin.ok("PATCH", repoPath(uid), { aliases: ["c"] });
    expect(after).toMatchObject({ name: "before", description: "d", aliases: ["c"], createTime });
    expect(Date.parse(after.updateTime)).toBeGreaterThanOrEqual(Date.parse(createTime) + 1_000);
    expect(
      await platform.admin.ok("PATCH", `${repoPath(uid)}?updateMask=name`, { name: "after", description: "no" }),
    ).toMatchObject({ name: "after", description: "d" });
    expect((await platform.admin.patch(repoPath(uid), { name: "" })).body).toMatchObject({ code: 3 });
  });

  it("Deleting a group with child repos: 9, RESOURCE_NOT_EMPTY, with the contract's own text; a repo with tags likewise", async () => {
    const group = await platform.admin.group(team);
    const repo = await makeRepo(group);
    const tag = await makeTag(repo, "latest");
    await platform.admin.group(group);
    const refused = (description: string) => ({
      status: 400,
      body: {
        code: 9,
        message: `Precondition failed: ${description}`,
        details: [
          { reason: "FAILED_PRECONDITION" },
          {
            "@type": "type.googleapis.com/google.rpc.PreconditionFailure",
            violations: [{ type: "RESOURCE_NOT_EMPTY", description }],
          },
        ],
      },
    });
    expect(await platform.admin.delete(`/iam/v2beta1/groups/${group}`)).toMatchObject(
      refused("cannot delete group with child repos"),
    );
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject(refused("cannot delete repo with child tags"));
    await platform.admin.ok("DELETE", tagPath(tag.uid));
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject({ status: 200, text: "" });
    expect(await platform.admin.delete(repoPath(repo))).toMatchObject(hidden);
    expect((await platform.admin.delete(`/iam/v2beta1/groups/${group}`)).body).toMatchObject({
      message: "Precondition failed: cannot delete group with child groups",
    });
  });

  it("--unique-names refuses a repo's name that a sibling has with code 6", async () => {
    const strict = await RunningPlatform.start({ uniqueNames: true });
    await strict.admin.ok("POST", repoPath(strict.root), { name: "a" });
    expect((await strict.admin.post(repoPath(strict.root), { name: "a" })).body).toMatchObject({ code: 6 });
    const { uid } = await strict.admin.ok("POST", repoPath(strict.root), { name: "b" });
    expect((await strict.admin.patch(repoPath(uid), { name: "a" })).body).toMatchObject({ code: 6 });
    await strict.stop();
  });
});
