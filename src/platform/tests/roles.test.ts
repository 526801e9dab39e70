import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
});
afterAll(() => platform.stop());

const path = (uid: string) => `/iam/v2beta1/roles/${uid}`;
const role = { name: "reader", capabilities: ["CAP_REPO_LIST"] };
const violation = (field: string) => ({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });

describe("custom roles", () => {
  it("are made, read, changed and deleted; a capability counts once", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_REPO_LIST"];
    const made = await platform.admin.ok("POST", path(team), { name: "reader", description: "d", capabilities });
    expect(made).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      name: "reader",
      description: "d",
      capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
      createTime: expect.any(String),
      updateTime: made.createTime,
    });
    expect(await platform.admin.ok("GET", path(made.uid))).toEqual(made);
    const renamed = await platform.admin.ok("PATCH", path(made.uid), { name: "writer" });
    expect(renamed).toEqual({ ...made, name: "writer", updateTime: renamed.updateTime });
    // Lists are replaced whole.
    const replaced = await platform.admin.ok("PATCH", path(made.uid), { capabilities: ["CAP_REPO_UPDATE"] });
    expect(replaced.capabilities).toEqual(["CAP_REPO_UPDATE"]);
    await platform.admin.ok("DELETE", path(made.uid));
    expect((await platform.admin.delete(path(made.uid))).body).toMatchObject({ code: 5 });
  });

  it.each([
    ["no name", { name: "" }, "name"],
    ["no capability", { capabilities: [] }, "capabilities"],
    ["a dotted name, which is v1's", { capabilities: ["repo.list"] }, "capabilities[0]"],
    ["an unknown capability", { capabilities: ["CAP_DRAGONS_LIST"] }, "capabilities[0]"],
    ["the capability that is none", { capabilities: ["UNKNOWN"] }, "capabilities"],
  ])("refuse %s", async (_, body, field) => {
    expect((await platform.admin.post(path(team), { ...role, ...body })).body).toMatchObject(violation(field));
  });

  it("a path into a list is code 3", async () => {
    const { uid } = await platform.admin.ok("POST", path(team), role);
    const answer = await platform.admin.patch(`${path(uid)}?updateMask=capabilities.0`, role);
    expect(answer.body).toMatchObject(violation("update_mask"));
  });

  it("need at least one capability on create; an update may take the last one away", async () => {
    const { uid } = await platform.admin.ok("POST", path(team), role);
    const emptied = await platform.admin.ok("PATCH", `${path(uid)}?updateMask=capabilities`, {});
    expect(emptied.capabilities).toEqual([]);
  });

  it("Changing or deleting a built-in role: 7, also for the admin", async () => {
    const viewer = await platform.admin.role("viewer");
    for (const [method, body] of [["PATCH", { description: "x" }], ["DELETE"]] as const)
      expect((await platform.admin.send(method, path(viewer), body)).body).toMatchObject({ code: 7 });
  });

  it("what a role gains or loses holds at the next call of who is bound to it", async () => {
    const { uid } = await platform.admin.ok("POST", path(team), role);
    const caller = await platform.callerWith("registry.pull", await platform.admin.group(platform.root));
    const binding = await platform.admin.bind(team, caller.identity, uid);
    const read = () => caller.get(`/iam/v2beta1/groups/${team}`);
    expect((await read()).status).toBe(403);
    await platform.admin.ok("PATCH", path(uid), { capabilities: ["CAP_IAM_GROUPS_LIST"] });
    expect((await read()).status).toBe(200);
    await platform.admin.ok("DELETE", `/iam/v2beta1/roleBindings/${binding}`);
    expect((await read()).status).toBe(404);
  });
});
