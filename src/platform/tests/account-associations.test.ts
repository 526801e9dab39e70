import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/accountAssociations/${uid}`;
const accounts = {
  amazon: { account: "123456789012" },
  google: { projectId: "p", projectNumber: "42" },
  azure: { tenantId: "t", clientIds: { build: "c" } },
  github: { appInstallations: { "7": { installations: [{ installationId: "9007199254740993", name: "org" }] } } },
};

describe("account associations", () => {
  it("The uid is its group's uid; what is not set is left out", async () => {
    const group = await platform.admin.group(platform.root);
    const made = await platform.admin.ok("POST", path(group), { name: "aws", amazon: accounts.amazon });
    expect(made).toEqual({
      uid: group,
      name: "aws",
      description: "",
      amazon: accounts.amazon,
      createTime: expect.any(String),
      updateTime: made.createTime,
    });
    expect(await platform.admin.ok("GET", path(group))).toEqual(made);
  });

  it("one per group, a second create is code 6", async () => {
    const group = await platform.admin.group(platform.root);
    await platform.admin.ok("POST", path(group), { name: "a" });
    const second = await platform.admin.post(path(group), { name: "b" });
    expect(second).toMatchObject({ status: 409, body: { code: 6, details: [{ reason: "ALREADY_EXISTS" }] } });
    await platform.admin.ok("DELETE", path(group));
    expect((await platform.admin.delete(path(group))).body).toMatchObject({ code: 5 });
    await platform.admin.ok("POST", path(group), { name: "b" });
  });

  it("keep all accounts as they were given; an update changes what is present, and maps whole", async () => {
    const group = await platform.admin.group(platform.root);
    expect(await platform.admin.ok("POST", path(group), { name: "all", ...accounts })).toMatchObject(accounts);
    const patched = await platform.admin.ok("PATCH", path(group), {
      amazon: null,
      google: { projectNumber: "43" },
      azure: { clientIds: { deploy: "d" } },
    });
    expect(patched).not.toHaveProperty("amazon");
    expect(patched).toMatchObject({
      google: { projectId: "p", projectNumber: "43" },
      azure: { tenantId: "t", clientIds: { deploy: "d" } },
      github: accounts.github,
    });
    expect(patched["azure"]).toEqual({ tenantId: "t", clientIds: { deploy: "d" } });
    const masked = await platform.admin.ok("PATCH", `${path(group)}?updateMask=description`, { description: "d" });
    expect(masked).toEqual({ ...patched, description: "d", updateTime: masked.updateTime });
  });

  it.each([
    [{}, "name"],
    [{ name: "a", description: "x\ny" }, "description"],
    [{ name: "a", amazon: { account: 1 } }, "amazon.account"],
    [{ name: "a", github: { appInstallations: { x: {} } } }, "github.appInstallations.x"],
  ])("refuse %j, naming %s", async (body, field) => {
    const answer = await platform.admin.post(path(platform.root), body);
    expect(answer.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("for uidp filters its parent is that group", async () => {
    const top = await platform.admin.group(platform.root, "top");
    const middle = await platform.admin.group(top, "middle");
    const bottom = await platform.admin.group(middle, "bottom");
    for (const group of [top, middle, bottom]) await platform.admin.ok("POST", path(group), { name: "a" });
    const list = async (query: string) => {
      const { totalCount, ...answer } = await platform.admin.ok("GET", `/iam/v2beta1/accountAssociations?${query}`);
      const uids = (answer["accountAssociations"] as Json[]).map(({ uid }) => uid);
      expect(totalCount).toBe(String(uids.length));
      return uids;
    };
    expect(await list(`uidp.children_of=${middle}`)).toEqual([middle]);
    expect(await list(`uidp.children_of=${bottom}`)).toEqual([bottom]);
    expect(await list(`uidp.descendants_of=${middle}`)).toEqual([middle, bottom]);
    expect(await list(`uidp.descendants_of=${top}&name=a`)).toEqual([top, middle, bottom]);
    expect(await list(`uidp.children_of=${middle}&uidp.descendants_of=${top}`)).toEqual([middle]);
    expect(await list(`uidp.children_of=${top}&uidp.descendants_of=${middle}`)).toEqual([]);
    expect(await list("uidp.in_root=true")).toEqual([]);
    expect(await list(`uidp.ids=${bottom}`)).toEqual([bottom]);
    // accountAssociations by their group
    expect(await list(`uidp.ids=${bottom}&uidp.ids=${top}`)).toEqual([top, bottom]);
    const inMiddle = await platform.callerWith("viewer", middle);
    expect(await inMiddle.ok("GET", "/iam/v2beta1/accountAssociations")).toMatchObject({
      accountAssociations: [{ uid: middle }, { uid: bottom }],
      totalCount: "2",
    });
    expect((await inMiddle.get(path(top))).body).toMatchObject({ code: 5 });
    expect((await inMiddle.patch(path(middle), { name: "b" })).body).toMatchObject({ code: 7 });
  });

  it("an association that goes leaves the counts of its group as they are", async () => {
    const group = await platform.admin.group(platform.root);
    await platform.admin.group(group);
    await platform.admin.ok("POST", path(group), { name: "a" });
    await platform.admin.ok("DELETE", path(group));
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups?uidp.children_of=${group}`)).toMatchObject({
      totalCount: "1",
    });
  });
});
