import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { minutes } from "#src/time/durations.ts";
import { LoginWorld, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
  platform.freeze();
});
afterAll(() => world.stop());

/** How long after its creation an identity was last seen, in both versions of the API (ms). */
async function seenAfter(uid: string): Promise<number> {
  const { createTime, lastSeenTime } = await platform.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
  const { items } = (await platform.admin.ok("GET", `/iam/v1/identities?id=${uid}`)) as unknown as {
    items: readonly { createdAt: string; lastSeen: string }[];
  };
  expect(items).toMatchObject([{ createdAt: createTime, lastSeen: lastSeenTime }]);
  return Date.parse(String(lastSeenTime)) - Date.parse(createTime);
}

describe("the lastSeenTime of a person", () => {
  it("is later than the createTime, which stands for never, from the first login on", async () => {
    const { group } = await world.group();
    const code = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    const uid = (await world.identitiesIn(group))[0]?.uid ?? "";
    expect(await seenAfter(uid)).toBe(1);
    const { body } = await world.redeem(code);
    expect([subjectOf(body["access_token"]), await seenAfter(uid)]).toEqual([uid, 1]);
  });

  it("follows each login and each refresh, to the minute", async () => {
    const { group } = await world.group();
    const { access_token: token, refresh_token: refreshToken } = await world.tokens({ group });
    const uid = subjectOf(token);
    platform.advance(minutes(2));
    await world.tokens({ group });
    expect(await seenAfter(uid)).toBe(minutes(2));
    platform.advance(minutes(0.5));
    await world.tokens({ group });
    expect(await seenAfter(uid)).toBe(minutes(2));
    platform.advance(minutes(20));
    expect((await world.refresh(refreshToken)).status).toBe(200);
    expect(await seenAfter(uid)).toBe(minutes(22.5));
  });

  it("is when a device got its tokens, which may be later than the login", async () => {
    const { group } = await world.group();
    const { device_code: deviceCode, user_code: userCode } = (await world.post("/device_authorization", { group }))
      .body;
    const browser = world.browser();
    const page = await browser.submit(await browser.open(`${platform.url}/device`), { user_code: String(userCode) });
    const href = new URL(/href="([^"]*)"/.exec(page.text)?.[1] ?? "", platform.url).href;
    await browser.submit(await world.logIn(browser, href), { decision: "approve" });
    platform.advance(minutes(5));
    expect((await world.poll(deviceCode)).status).toBe(200);
    const uid = (await world.identitiesIn(group))[0]?.uid ?? "";
    expect(await seenAfter(uid)).toBe(minutes(5));
  });

  it("follows the logins of clients that receive the token in a redirect", async () => {
    const { provider } = await world.group();
    const url = `${platform.url}/oauth?${new URLSearchParams({
      exit: "redirect",
      redirect: "http://localhost:51234/callback",
      idp_id: provider,
    }).toString()}`;
    const uid = subjectOf((await world.agree(world.browser(), url)).get("token"));
    expect(await seenAfter(uid)).toBe(1);
    platform.advance(minutes(3));
    await world.agree(world.browser(), url);
    expect(await seenAfter(uid)).toBe(minutes(3));
  });
});
