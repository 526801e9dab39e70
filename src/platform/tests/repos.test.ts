import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Registry, repoPath } from "./registry-calls.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  ({ team } = await Registry.on(platform));
});
afterAll(() => platform.stop());

describe("repos", () => {
  it.each([
    [{ name: "a", description: "x".repeat(513) }, "description"],
    [{ name: "a", nope: 1 }, "nope"],
  ])("reject %j with a violation of %s", async (body, field) => {
    expect((await platform.admin.post(repoPath(team), body)).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field }] }],
    });
  });

  it("must have different names in a group with --unique-names: otherwise code 6", async () => {
    const strict = await RunningPlatform.start({ uniqueNames: true });
    await strict.admin.ok("POST", repoPath(strict.root), { name: "a" });
    expect((await strict.admin.post(repoPath(strict.root), { name: "a" })).body).toMatchObject({ code: 6 });
    const { uid } = await strict.admin.ok("POST", repoPath(strict.root), { name: "b" });
    expect((await strict.admin.patch(repoPath(uid), { name: "a" })).body).toMatchObject({ code: 6 });
    await strict.stop();
  });
});
