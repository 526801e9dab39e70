import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, descriptionOf, errorOf, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

describe("an invite", () => {
  it("adds its role in its group, once", async () => {
    const { group } = await world.group();
    const team = await platform.admin.group(group);
    const invite = await world.invite(team, "editor", { singleUse: true, email: "Ada@example.com" });
    const page = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }));
    expect(page.text).toContain("The invite adds");
    const sub = subjectOf((await world.tokens({ group, invite }))["access_token"]);
    expect(await world.rolesOf(sub)).toEqual([`editor ${team}`, `viewer ${group}`]);
    expect(
      (await platform.admin.ok("GET", `/iam/v2beta1/groupInvites?uidp.children_of=${team}`))["groupInvites"],
    ).toEqual([]);
    const another = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }), "ben");
    expect(errorOf(another)).toBe("access_denied");
  });

  it("for a single use lets whoever has used it log in again, because the response may have been lost", async () => {
    const { group } = await world.group();
    const invite = await world.invite(group, "editor", { singleUse: true });
    const browsers = [world.browser(), world.browser()];
    const pages = await Promise.all(browsers.map((one) => world.logIn(one, world.authorizeUrl({ group, invite }))));
    const subjects: string[] = [];
    for (const [n, page] of pages.entries()) {
      const end = await browsers[n]?.submit(page, { decision: "approve" });
      const { body } = await world.redeem(new URL(end?.url ?? "").searchParams.get("code"));
      subjects.push(subjectOf(body["access_token"]));
    }
    const [sub = "", again] = subjects;
    expect(again).toBe(sub);
    expect(await world.rolesOf(sub)).toEqual([`editor ${group}`, `viewer ${group}`]);
    // It grants nothing a second time.
    const { roleBindings } = await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${sub}`);
    for (const { uid } of roleBindings) await platform.admin.ok("DELETE", `/iam/v2beta1/roleBindings/${uid}`);
    expect(subjectOf((await world.tokens({ group, invite }))["access_token"])).toBe(sub);
    expect(await world.rolesOf(sub)).toEqual([]);
    platform.advance(3_600_000);
    const late = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }));
    expect(errorOf(late)).toBe("access_denied");
  });

  it("for an address is for no other that Unicode folds to it, and for none that is not verified", async () => {
    const { group } = await world.group();
    const invite = await world.invite(group, "editor", { email: "Kate@EXAMPLE.com" });
    // The Kelvin sign in lower case is k.
    const other = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }), "\u212Aate");
    expect(errorOf(other)).toBe("access_denied");
    const kate = subjectOf((await world.tokens({ group, invite }, "kate"))["access_token"]);
    expect(await world.rolesOf(kate)).toContain(`editor ${group}`);
    const unproven = await world.invite(group, "editor", { email: "unverified@example.com" });
    const page = await world.logIn(world.browser(), world.authorizeUrl({ group, invite: unproven }), "unverified");
    expect(errorOf(page)).toBe("access_denied");
  });

  it("is needed for a first login where anybody can have an account, and for no other, until it expires", async () => {
    const { group } = await world.group({ issuer: world.openIssuer });
    const refused = await world.logIn(world.browser(), world.authorizeUrl({ group }));
    expect(descriptionOf(refused)).toContain("needs an invite");
    expect(await world.identitiesIn(group)).toEqual([]);
    const invite = await world.invite(group, "editor");
    const sub = subjectOf((await world.tokens({ group, invite }))["access_token"]);
    expect(subjectOf((await world.tokens({ group }))["access_token"])).toBe(sub);
    platform.advance(3_600_000);
    const late = await world.logIn(world.browser(), world.authorizeUrl({ group, invite }), "ben");
    expect(errorOf(late)).toBe("access_denied");
  });
});
