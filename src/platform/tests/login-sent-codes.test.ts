import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, descriptionOf, errorOf, expectRefusedByPage, program, query } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
let group: string;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
  ({ group } = await world.group());
});
afterAll(() => world.stop());
afterEach(() => {
  // The wrong codes of a test do not count in the next one.
  platform.advance(600_000);
});

describe("somebody else's invite", () => {
  const message = "the invite is not valid for this login: ask for a new one";
  const tried = async (invite: string, account: string, choice: Readonly<Record<string, string>> = { group }) => {
    const before = await world.identitiesIn(group);
    const end = await world.logIn(world.browser(), world.authorizeUrl({ ...choice, invite }), account);
    expect(await world.identitiesIn(group)).toEqual(before);
    return [errorOf(end), descriptionOf(end)];
  };

  it("is refused with one message, whatever is wrong with it", async () => {
    const refused = ["access_denied", message];
    const personal = await world.invite(group, "editor", { email: "ada@example.com" });
    expect(await tried(personal, "mallory")).toEqual(refused);
    const unverified = await world.invite(group, "editor", { email: "unverified-ada@example.com" });
    expect(await tried(unverified, "unverified-ada")).toEqual(refused);
    expect(await tried(`${personal.slice(0, -1)}_`, "ada")).toEqual(refused);
    expect(await tried("unknown", "ada")).toEqual(refused);
    const expired = await world.invite(group, "editor", { ttl: "60s" });
    platform.advance(60_000);
    expect(await tried(expired, "ada")).toEqual(refused);
    // A provider that belongs to somebody else can assert any e-mail address.
    const above = await world.invite(platform.root, "editor", { email: "ada@example.com" });
    expect(await tried(above, "ada")).toEqual(refused);
    const { group: sibling } = await world.group();
    expect(await tried(await world.invite(sibling, "editor"), "ada")).toEqual(refused);
  });

  it("cannot be guessed: wrong codes are limited by address", async () => {
    const guess = query({ exit: "redirect", redirect: program, invite: `${"0".repeat(16)}.${"a".repeat(43)}` });
    for (let attempt = 0; attempt < 20; attempt++) await world.browser().open(`${platform.url}/oauth?${guess}`);
    const invite = await world.invite(group, "editor");
    expect(await tried(invite, "ada")).toEqual([
      "temporarily_unavailable",
      expect.stringContaining("too many wrong codes"),
    ]);
  });

  it("grants nothing that the owners of its group cannot grant any more", async () => {
    const { uid: role } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${group}`, {
      name: "a",
      capabilities: ["CAP_IAM_GROUPS_LIST"],
    });
    const { code } = await platform.admin.ok("POST", `/iam/v2beta1/groupInvites/${group}`, {
      roleUid: role,
      ttl: "3600s",
    });
    await platform.admin.ok("PATCH", `/iam/v2beta1/roles/${role}`, { capabilities: ["CAP_IAM_GROUPS_LIST", 4_711] });
    expect(await tried(code as string, "ada")).toEqual(["access_denied", message]);
  });
});

describe("a device code that is sent to a victim", () => {
  it("grants nothing before the victim has read what it grants, and agreed", async () => {
    const { body } = await world.post("/device_authorization", { group });
    const victim = world.browser();
    const form = await victim.open(`${platform.url}/device`);
    expect(form.text).toContain("Whoever sends you a code wants to act as you");
    const found = await victim.submit(form, { user_code: String(body["user_code"]) });
    expect(found.text).toMatch(/device at the address <strong>127\.0\.0\.1<\/strong> asked for this code/);
    const href = new URL(/href="([^"]*)"/.exec(found.text)?.[1] ?? "", platform.url).href;
    const page = await world.logIn(victim, href);
    for (const text of ["Another device", "viewer", "24 hours"]) expect(page.text).toContain(text);
    expect((await world.poll(body["device_code"])).body).toMatchObject({ error: "authorization_pending" });
    await victim.submit(page, { decision: "deny" });
    expect((await world.poll(body["device_code"])).body).toMatchObject({ error: "access_denied" });
  });

  it("cannot be guessed: wrong codes are limited by address", async () => {
    const { body } = await world.post("/device_authorization", { group });
    const browser = world.browser();
    let page = await browser.open(`${platform.url}/device`);
    for (let attempt = 0; attempt < 20; attempt++) page = await browser.submit(page, { user_code: "BBBB-BBBB" });
    const last = await browser.submit(page, { user_code: String(body["user_code"]) });
    expectRefusedByPage(last, 429);
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(500);
  });
});
