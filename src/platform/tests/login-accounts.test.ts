import { afterAll, beforeAll, expect, it } from "vitest";
import { LoginWorld, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

it("does not find an identity that is for another client, or for some of the people only", async () => {
  const { group: own } = await world.group();
  const others = [
    { audience: "another client" },
    { audience: "muster", claims: { email: "ada@example.com" } },
    { audience: "muster", claimPatterns: { email: ".*" } },
    {},
  ];
  for (const [index, claimMatch] of others.entries())
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${own}`, {
      name: String(index),
      claimMatch: { issuer: world.issuer.url, subject: "ada", ...claimMatch },
    });
  const exact = { issuer: world.issuer.url, subject: "ada", audience: "muster" };
  const page = await world.logIn(world.browser(), world.authorizeUrl({ group: own }));
  expect(page.text).toContain("a new one");
  const { uid } = await platform.admin.ok("POST", `/iam/v2beta1/identities/${own}`, {
    name: "exact",
    claimMatch: exact,
  });
  expect(subjectOf((await world.tokens({ group: own }))["access_token"])).toBe(uid);
});

it("gives a second account at the provider an identity of its own, which the page names", async () => {
  const { group: own } = await world.group();
  const first = subjectOf((await world.tokens({ group: own }))["access_token"]);
  await platform.admin.bind(own, first, await platform.admin.role("owner"));
  const page = await world.logIn(world.browser(), world.authorizeUrl({ group: own }), "second");
  for (const text of ["second@example.com", "a new one", "viewer"]) expect(page.text).toContain(text);
  for (const text of [first, "owner"]) expect(page.text).not.toContain(text);
  const other = await world.tokens({ group: own }, "second");
  expect((await platform.as(other["access_token"]).patch(`/iam/v2beta1/groups/${own}`, { name: "b" })).status).toBe(
    403,
  );
});
