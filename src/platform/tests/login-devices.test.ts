import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

describe("a login on a device", () => {
  const start = async (group: string) => (await world.post("/device_authorization", { group })).body;
  const typed = async (code: unknown) => {
    const browser = world.browser();
    const page = await browser.submit(await browser.open(`${platform.url}/device`), { user_code: String(code) });
    const href = /href="([^"]*)"/.exec(page.text)?.[1];
    return { browser, page, href: href === undefined ? "" : new URL(href, platform.url).href };
  };

  it("waits until the person has typed the code, logged in and agreed", async () => {
    const { group } = await world.group();
    const device = await start(group);
    expect(device).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${platform.url}/device`,
      expires_in: 600,
      interval: 5,
    });
    expect(device).not.toHaveProperty("verification_uri_complete");
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");
    platform.advance(3_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("slow_down");
    // A poll that is too early changes nothing.
    platform.advance(2_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");

    const { browser, page, href } = await typed(String(device["user_code"]).toLowerCase().replace("-", " "));
    expect(page.text).toContain("127.0.0.1");
    const consent = await world.logIn(browser, href);
    for (const text of ["Another device", "127.0.0.1", "viewer", "ada@example.com"])
      expect(consent.text).toContain(text);
    platform.advance(5_000);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("authorization_pending");
    expect((await browser.submit(consent, { decision: "approve" })).text).toContain("You are logged in");
    platform.advance(5_000);
    const { status, body } = await world.poll(device["device_code"]);
    expect([status, subjectOf(body["access_token"]).slice(0, -17)]).toEqual([200, group]);
    expect((await world.poll(device["device_code"])).body["error"]).toBe("invalid_grant");
  });

  it("ends when the person cancels, or takes too long", async () => {
    const { group } = await world.group();
    const [refused, late] = [await start(group), await start(group)];
    const { browser, href } = await typed(refused["user_code"]);
    const page = await browser.submit(await world.logIn(browser, href), { decision: "deny" });
    expect(page.text).toContain("cancelled");
    expect((await world.poll(refused["device_code"])).body["error"]).toBe("access_denied");
    platform.advance(600_000);
    expect((await world.poll(late["device_code"])).body["error"]).toBe("expired_token");
    expect((await typed(late["user_code"])).page.text).toContain("no such code");
  });
});
