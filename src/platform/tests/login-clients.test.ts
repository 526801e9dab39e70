import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LoginWorld, errorOf, subjectOf } from "./login-world.testing.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

let world: LoginWorld;
let platform: RunningPlatform;
beforeAll(async () => {
  world = await LoginWorld.start();
  ({ platform } = world);
});
afterAll(() => world.stop());

describe("clients of the family", () => {
  const oauthUrl = (parameters: Readonly<Record<string, string>>) =>
    `${platform.url}/oauth?${new URLSearchParams({
      exit: "redirect",
      redirect: "http://localhost:51234/callback?token=true&error=true",
      ...parameters,
    }).toString()}`;

  it("receive the token in a redirect, after the person has agreed", async () => {
    const { group, provider } = await world.group();
    const end = await world.agree(world.browser(), oauthUrl({ idp_id: provider, create_refresh_token: "true" }));
    expect([...end.keys()].toSorted()).toEqual(["refresh_token", "token"]);
    const token = end.get("token") ?? "";
    expect((await platform.as(token).get(`/iam/v2beta1/groups/${group}`)).status).toBe(200);
    expect((await world.refresh(end.get("refresh_token") ?? "")).status).toBe(200);
    const identity = subjectOf(token);
    const again = await world.agree(
      world.browser(),
      oauthUrl({ identity, scope: group, audience: `${platform.url},` }),
    );
    expect([...again.keys()]).toEqual(["token"]);
    expect(decodeJwt(again.get("token") ?? "")).toMatchObject({ sub: identity, scopes: [group] });
    const invite = await world.invite(group, "editor");
    await world.agree(world.browser(), oauthUrl({ invite }));
    expect(await world.rolesOf(identity)).toEqual([`editor ${group}`, `viewer ${group}`]);
  });

  it("learn what to name if an invite, which names their group, was used", async () => {
    const { group, provider } = await world.group();
    const invite = await world.invite(group, "editor", { singleUse: true });
    await world.agree(world.browser(), oauthUrl({ invite }));
    const refused = await world.logIn(world.browser(), oauthUrl({ invite }));
    expect(errorOf(refused)).toContain("log in with idp_id");
    expect([...(await world.agree(world.browser(), oauthUrl({ invite, idp_id: provider }))).keys()]).toEqual(["token"]);
  });

  it("receive errors", async () => {
    const { provider } = await world.group();
    const { identity } = { identity: subjectOf((await world.tokens({ identity_provider: provider }))["access_token"]) };
    const browser = world.browser();
    for (const [parameters, account] of [
      [{ identity }, "ben"],
      [{}, "ada"],
      [{ idp_id: provider, exit: "page" }, "ada"],
      [{ idp_id: provider, invite: "wrong" }, "ada"],
    ] as const) {
      const end = new URL((await world.logIn(browser, oauthUrl(parameters), account)).url).searchParams;
      expect(end.has("error"), JSON.stringify(parameters)).toBe(true);
      expect(end.get("status_code")).toMatch(/^40[03]$/);
      expect(end.has("token")).toBe(false);
    }
  });
});
