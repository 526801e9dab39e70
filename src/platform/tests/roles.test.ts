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

describe("custom roles", () => {
  it("store a repeated capability once, and return every field", async () => {
    const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_REPO_LIST"];
    const created = await platform.admin.ok("POST", path(team), { name: "reader", description: "d", capabilities });
    expect(created).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      name: "reader",
      description: "d",
      capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
      createTime: expect.any(String),
      updateTime: created.createTime,
    });
    const renamed = await platform.admin.ok("PATCH", path(created.uid), { name: "writer" });
    expect(renamed).toEqual({ ...created, name: "writer", updateTime: renamed.updateTime });
  });

  it.each([
    ["a dotted name, which only v1 uses", "repo.list", "capabilities[0]"],
    ["an unknown capability", "CAP_DRAGONS_LIST", "capabilities[0]"],
    ["the zero value of the enum", "UNKNOWN", "capabilities"],
  ])("reject %s", async (_, capability, field) => {
    const response = await platform.admin.post(path(team), { ...role, capabilities: [capability] });
    expect(response.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("apply a changed capability to the next call of a bound identity", async () => {
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
