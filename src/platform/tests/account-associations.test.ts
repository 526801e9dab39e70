import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/accountAssociations/${uid}`;

describe("account associations", () => {
  it.each([
    [{ name: "a", amazon: { account: 1 } }, "amazon.account"],
    [{ name: "a", github: { appInstallations: { x: {} } } }, "github.appInstallations.x"],
  ])("reject %j with a violation of %s", async (body, field) => {
    const response = await platform.admin.post(path(platform.root), body);
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("have their group as the parent, in filters and in what a caller can see", async () => {
    const top = await platform.admin.group(platform.root, "top");
    const middle = await platform.admin.group(top, "middle");
    const bottom = await platform.admin.group(middle, "bottom");
    for (const group of [top, middle, bottom]) await platform.admin.ok("POST", path(group), { name: "a" });
    const list = async (query: string) => {
      const { totalCount, ...response } = await platform.admin.ok("GET", `/iam/v2beta1/accountAssociations?${query}`);
      const uids = (response["accountAssociations"] as Json[]).map(({ uid }) => uid);
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
    // The default order is by the uid of the group.
    expect(await list(`uidp.ids=${bottom}&uidp.ids=${top}`)).toEqual([top, bottom]);
    const inMiddle = await platform.callerWith("viewer", middle);
    expect(await inMiddle.ok("GET", "/iam/v2beta1/accountAssociations")).toMatchObject({
      accountAssociations: [{ uid: middle }, { uid: bottom }],
      totalCount: "2",
    });
    expect((await inMiddle.get(path(top))).body).toMatchObject({ code: 5 });
    expect((await inMiddle.patch(path(middle), { name: "b" })).body).toMatchObject({ code: 7 });
  });

  it("do not change the counts of their group when they are deleted", async () => {
    const group = await platform.admin.group(platform.root);
    await platform.admin.group(group);
    await platform.admin.ok("POST", path(group), { name: "a" });
    await platform.admin.ok("DELETE", path(group));
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups?uidp.children_of=${group}`)).toMatchObject({
      totalCount: "1",
    });
  });
});
