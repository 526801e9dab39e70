import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let identity: string;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root);
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

type Pair = { token: { token: string }; refreshToken: { token: string; expiry: string } };

async function firstToken(parameters = ""): Promise<string> {
  const { body } = await platform.exchange(await platform.incomingToken(identity), identity, parameters);
  return body["refreshToken"] as string;
}

const refresh = (token: string, body: object = {}): Promise<Answer> =>
  platform.as(token).post("/sts/exchange_refresh_token", body);

async function refreshed(token: string, body: object = {}): Promise<Pair> {
  const answer = await refresh(token, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Pair;
}

describe("refresh tokens", () => {
  it("are used once, each giving an API token and the next one", async () => {
    const first = await firstToken();
    const second = await refreshed(first);
    expect((await platform.as(second.token.token).get("/iam/v2beta1/groups")).status).toBe(200);
    const third = await refreshed(second.refreshToken.token);
    expect(decodeJwt(third.token.token)).toMatchObject({ sub: identity, act: { sub: "caller" } });
    expect(third.refreshToken.expiry).toBe(second.refreshToken.expiry);
  });

  it("Using one again ends its family", async () => {
    const first = await firstToken();
    const { refreshToken } = await refreshed(first);
    expect(await refresh(first)).toMatchObject({ status: 403, body: { code: 7 } });
    expect(await refresh(refreshToken.token)).toMatchObject({ status: 401, body: { code: 16 } });
  });

  it("two uses at once: one succeeds, and the family ends", async () => {
    const first = await firstToken();
    const answers = await Promise.all([refresh(first), refresh(first)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
  });

  it("are no API tokens, nor the reverse", async () => {
    const token = await firstToken();
    expect((await platform.as(token).get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    const { token: api } = await refreshed(token);
    for (const wrong of [api.token, "", "muster-refresh-", platform.admin.token ?? ""])
      expect((await refresh(wrong)).body).toMatchObject({ code: 16 });
  });

  it("A refresh may only narrow, and what is narrowed stays so", async () => {
    const first = await firstToken("&cap=groups.list&cap=repo.list");
    expect((await refresh(first, { cap: ["groups.delete"] })).body).toMatchObject({ code: 7 });
    expect((await refresh(first, { aud: ["https://evil.example.com"] })).body).toMatchObject({ code: 3 });
    const second = await refreshed(first, { cap: ["groups.list"], scopes: [team] });
    expect(decodeJwt(second.token.token)).toMatchObject({ cap: ["groups.list"], scopes: [team] });
    expect((await refresh(second.refreshToken.token, { scopes: [platform.root] })).body).toMatchObject({ code: 7 });
    const third = await refreshed(second.refreshToken.token);
    expect(decodeJwt(third.token.token)).toMatchObject({ cap: ["groups.list"], scopes: [team] });
  });

  it("A family ends after 24 h, and when the identity is changed or deleted", async () => {
    const own = await RunningPlatform.start();
    const uid = await own.makeIdentity(own.root);
    const start = async () => (await own.exchange(await own.incomingToken(uid), uid)).body["refreshToken"] as string;
    const use = (token: string) => own.as(token).post("/sts/exchange_refresh_token", {});
    let token = await start();
    own.advance(23 * 3_600_000);
    token = ((await use(token)).body as unknown as Pair).refreshToken.token;
    own.advance(3_700_000);
    expect((await use(token)).body).toMatchObject({ code: 16 });

    token = await start();
    await own.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { description: "no matter" });
    token = ((await use(token)).body as unknown as Pair).refreshToken.token;
    await own.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { staticKeys: { subject: "another" } });
    expect((await use(token)).body).toMatchObject({ code: 16 });

    await own.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { staticKeys: { subject: "caller" } });
    token = await start();
    await own.admin.ok("DELETE", `/iam/v2beta1/identities/${uid}`);
    expect((await use(token)).body).toMatchObject({ code: 16 });
    await own.stop();
  });
});
