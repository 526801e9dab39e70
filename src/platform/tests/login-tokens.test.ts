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

describe("the tokens of a login", () => {
  it("are renewed by a refresh token that is used once; reuse ends the family", async () => {
    const { group } = await world.group();
    const { refresh_token: first, ...login } = await world.tokens({ group });
    platform.advance(60_000);
    const { status, body } = await world.refresh(first);
    const lifetimes = [login, body].map((response) => Number(response["refresh_token_expires_in"]));
    expect([status, body["token_type"]]).toEqual([200, "Bearer"]);
    // However often it is renewed, a login ends at the same time.
    expect(lifetimes.map((seconds) => Math.round(seconds / 60))).toEqual([24 * 60, 24 * 60 - 1]);
    expect((await world.refresh(first)).body["error"]).toBe("invalid_grant");
    expect((await world.refresh(body["refresh_token"] as string)).body["error"]).toBe("invalid_grant");
  });

  it("end with a logout; both are lines of the log", async () => {
    const { group } = await world.group();
    const { refresh_token: token = "", access_token: accessToken } = await world.tokens({ group });
    for (const again of [token, token, "unknown"])
      expect((await world.post("/revoke", { token: again })).status).toBe(200);
    expect((await world.refresh(token)).body["error"]).toBe("invalid_grant");
    const resource = subjectOf(accessToken);
    const lines = world.logged.filter((line) => line["resource"] === resource && line["cause"] === undefined);
    expect(lines.map(({ msg, operation, caller, address }) => [msg, operation, caller, address])).toEqual([
      ["person logged in", "Login/Consent", resource, "127.0.0.1"],
      ["person logged out", "Login/Revoke", resource, "127.0.0.1"],
    ]);
  });

  it("end if the authorization code is used again: all of that login, and none of another one", async () => {
    const { group } = await world.group();
    const other = await world.tokens({ group });
    const code = (await world.agree(world.browser(), world.authorizeUrl({ group }))).get("code");
    const { body: login } = await world.redeem(code);
    const renewed = (await world.refresh(String(login["refresh_token"]))).body;
    const statusOf = async (token: unknown) =>
      (await platform.as(String(token)).get(`/iam/v2beta1/groups/${group}`)).status;
    expect(await Promise.all([login, renewed, other].map((one) => statusOf(one["access_token"])))).toEqual([
      200, 200, 200,
    ]);
    expect((await world.redeem(code)).body["error"]).toBe("invalid_grant");
    expect(await Promise.all([login, renewed, other].map((one) => statusOf(one["access_token"])))).toEqual([
      401, 401, 200,
    ]);
    expect((await world.refresh(String(renewed["refresh_token"]))).body["error"]).toBe("invalid_grant");
    expect((await world.refresh(other["refresh_token"])).status).toBe(200);
    const lines = world.logged.filter((line) => line["resource"] === subjectOf(login["access_token"]));
    expect(lines.map(({ msg }) => msg)).toContain("token or code reused; what came from it was ended");
  });

  it("end with a logout, and if a refresh token is used again", async () => {
    const { group } = await world.group();
    const [out, stolen, other] = [
      await world.tokens({ group }),
      await world.tokens({ group }),
      await world.tokens({ group }),
    ];
    await world.post("/revoke", { token: out["refresh_token"] ?? "" });
    await world.refresh(stolen["refresh_token"]);
    await world.refresh(stolen["refresh_token"]);
    const statuses = [out, stolen, other].map(
      async ({ access_token: token }) => (await platform.as(token).get(`/iam/v2beta1/groups/${group}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  it("end after the lifetime of a login, and with the tokens of the identity", async () => {
    const { group } = await world.group();
    const [one, other] = [await world.tokens({ group }), await world.tokens({ group })];
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${subjectOf(one["access_token"])}:revokeTokens`);
    expect((await platform.as(one["access_token"]).get(`/iam/v2beta1/groups/${group}`)).status).toBe(401);
    expect((await world.refresh(other["refresh_token"])).body["error"]).toBe("invalid_grant");
    const { refresh_token: token } = await world.tokens({ group });
    platform.advance(24 * 3_600_000);
    expect((await world.refresh(token)).body["error"]).toBe("invalid_grant");
  });
});
