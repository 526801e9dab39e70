import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform, type TestResponse } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let identity: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

type TokenPair = { token: { token: string }; refreshToken: { token: string; expiry: string } };

async function firstToken(parameters = ""): Promise<string> {
  const { body } = await platform.exchange(await platform.subjectToken(identity), identity, parameters);
  return body["refreshToken"] as string;
}

const refresh = (token: string, body: object = {}): Promise<TestResponse> =>
  platform.as(token).post("/sts/exchange_refresh_token", body);

describe("refresh tokens", () => {
  it("succeed once in two concurrent uses; the other use gets 403", async () => {
    const first = await firstToken();
    const responses = await Promise.all([refresh(first), refresh(first)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
  });

  it("are not accepted as API tokens, nor the reverse", async () => {
    const token = await firstToken();
    expect((await platform.as(token).get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    const { token: api } = (await refresh(token)).body as unknown as TokenPair;
    for (const wrong of [api.token, "", "muster-refresh-", platform.admin.token ?? ""])
      expect((await refresh(wrong)).body).toMatchObject({ code: 16 });
  });

  it("end with their family: after 24 h, and when the identity is changed or deleted", async () => {
    const separate = await RunningPlatform.start();
    const uid = await separate.makeIdentity(separate.root);
    const start = async () =>
      (await separate.exchange(await separate.subjectToken(uid), uid)).body["refreshToken"] as string;
    const use = (token: string) => separate.as(token).post("/sts/exchange_refresh_token", {});
    let token = await start();
    separate.advance(23 * 3_600_000);
    token = ((await use(token)).body as unknown as TokenPair).refreshToken.token;
    separate.advance(3_700_000);
    expect((await use(token)).body).toMatchObject({ code: 16 });

    token = await start();
    await separate.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { description: "ends no family" });
    token = ((await use(token)).body as unknown as TokenPair).refreshToken.token;
    await separate.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { staticKeys: { subject: "another" } });
    expect((await use(token)).body).toMatchObject({ code: 16 });

    await separate.admin.ok("PATCH", `/iam/v2beta1/identities/${uid}`, { staticKeys: { subject: "caller" } });
    token = await start();
    await separate.admin.ok("DELETE", `/iam/v2beta1/identities/${uid}`);
    expect((await use(token)).body).toMatchObject({ code: 16 });
    await separate.stop();
  });
});
