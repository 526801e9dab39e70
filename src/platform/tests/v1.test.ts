import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
});
afterAll(() => platform.stop());

describe("v1", () => {
  it("lists all groups in the order of their ids", { timeout: 30_000 }, async () => {
    const parent = await platform.admin.group(team, "many");
    const created = await Promise.all(Array.from({ length: 230 }, (_, n) => platform.admin.group(parent, `g${n}`)));
    const { items } = await platform.admin.ok("GET", `/iam/v1/groups?uidp.children_of=${parent}`);
    expect((items as Json[]).map(({ id }) => id)).toEqual(created.toSorted());
  });

  it("keeps verified in a PUT that omits it, and lets only the admin change it", async () => {
    const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/groups/${team}`, { name: "a", verified: true });
    const owner = await platform.callerWith("owner", team);
    expect(await owner.ok("PUT", `/iam/v1/groups/${uid}`, { name: "b" })).toMatchObject({ verified: true });
    const other = await platform.admin.group(team);
    expect((await owner.send("PUT", `/iam/v1/groups/${other}`, { name: "b", verified: true })).body).toMatchObject({
      code: 7,
    });
  });
});
