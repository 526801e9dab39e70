import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import type { LoginTokens } from "./credentials.ts";
import { type DeviceCode, logInWithDevice } from "./device-login.ts";
import { LoginFailure } from "./login-failure.ts";
import { FormBrowser, LoginPlatform } from "./login-platform.testing.ts";

const request = { through: { identityProvider: "a".repeat(40) }, audiences: [], invite: undefined };
const issuer = "https://auth.example.com";
const code = { device_code: "d", user_code: "ABCD-EFGH", verification_uri: `${issuer}/device`, expires_in: 600 };
const tokens: LoginTokens = { accessToken: "a", expiresAt: 1 };

/** A clock whose sleeps take no time, and are recorded. */
function fastClock() {
  let now = 0;
  const sleeps: number[] = [];
  const clock: Clock = {
    ...systemClock,
    monotonic: () => now,
    sleep: async (ms) => {
      sleeps.push(ms);
      now += ms;
    },
  };
  return { clock, sleeps };
}

/** A server that responds to the polls in this order, and to all further ones with the last. */
function server(device: object, ...responses: readonly (LoginTokens | LoginFailure)[]) {
  let polls = 0;
  return {
    issuer,
    requestDeviceCode: async () => device,
    requestTokens: async () => {
      const response = responses[Math.min(polls, responses.length - 1)];
      polls += 1;
      if (response instanceof LoginFailure) throw response;
      return response;
    },
  } as unknown as AuthorizationServer;
}

const refused = (error: string) => new LoginFailure(`the platform refused: ${error}`, { kind: "refused", error });
const away = (retryAfterMs?: number) =>
  new LoginFailure("away", { kind: "unavailable", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

async function run(of: AuthorizationServer, { clock, sleeps } = fastClock()) {
  const shown: DeviceCode[] = [];
  const { signal } = new AbortController();
  const result = await logInWithDevice(of, request, { clock, signal, show: (one) => shown.push(one) }).catch(
    (error: Error) => error.message,
  );
  return { result, shown, sleeps: sleeps.map((ms) => ms / 1000) };
}

describe("the login on another device", () => {
  it("polls at the interval, slower after slow_down, and waits longer while the platform is away", async () => {
    const { result, shown, sleeps } = await run(
      server(
        { ...code, interval: 2 },
        refused("authorization_pending"),
        refused("slow_down"),
        refused("authorization_pending"),
        away(),
        away(seconds(30)),
        refused("authorization_pending"),
        tokens,
      ),
    );
    expect(result).toBe(tokens);
    expect(sleeps).toEqual([2, 2, 7, 7, 14, 30, 30]);
    expect(shown).toEqual([{ userCode: "ABCD-EFGH", verificationUri: `${issuer}/device`, lifetimeMs: 600_000 }]);
  });

  it("has the interval of the RFC, and bounds what the platform says", async () => {
    expect((await run(server(code, tokens))).sleeps).toEqual([5]);
    expect((await run(server({ ...code, interval: 1e12 }, tokens))).sleeps).toEqual([60]);
    expect((await run(server({ ...code, interval: -1 }, tokens))).sleeps).toEqual([5]);
    const { sleeps } = await run(server({ ...code, expires_in: 1e12 }, refused("authorization_pending")));
    expect(sleeps.length * 5).toBe(1800);
  });

  it.each([
    ["the person refuses", [refused("access_denied")], "the platform refused: access_denied"],
    ["the code expires", [refused("expired_token")], "the platform refused: expired_token"],
    ["nobody types the code", [refused("authorization_pending")], "the code was not confirmed in time"],
    ["the platform stays away", [away()], "the code was not confirmed in time"],
  ])("ends when %s", async (_, responses, message) => {
    expect((await run(server(code, ...responses))).result).toContain(message);
  });

  it.each([
    ["a code with control characters", { user_code: "AB\u001b[2J" }],
    ["an address elsewhere", { verification_uri: "https://evil.example/device" }],
    ["a script as the address", { verification_uri: "javascript:alert(1)" }],
    ["no device code", { device_code: undefined }],
    ["no lifetime", { expires_in: "soon" }],
  ])("refuses a response with %s, before a person sees it", async (_, changes) => {
    const { result, shown } = await run(server({ ...code, ...changes }, tokens));
    expect(result).toContain("does not contain a code and an address of https://auth.example.com");
    expect(shown).toEqual([]);
  });

  describe("at a server that nobody here wrote", () => {
    let platform: LoginPlatform;
    beforeAll(async () => {
      platform = await LoginPlatform.start();
    });
    afterAll(() => platform.close());

    it("gets tokens after the person typed the code", async () => {
      const { signal } = new AbortController();
      const real = await AuthorizationServer.discover({ authUrl: platform.url, env: {}, clock: systemClock }, signal);
      const { clock } = fastClock();
      const typed = Promise.withResolvers<void>();
      let polls = 0;
      const waiting = {
        ...clock,
        // The first poll comes before the person, and the next one after.
        sleep: async () => {
          polls += 1;
          if (polls > 1) await typed.promise;
        },
      };
      const type = async ({ userCode, verificationUri }: DeviceCode) => {
        const person = new FormBrowser();
        const confirm = await person.submit(await person.open(verificationUri), { user_code: userCode });
        expect(confirm.text).toContain(userCode);
        expect((await person.submit(confirm, { confirm: "yes" })).text).toContain("Success");
      };
      const result = await logInWithDevice(real, request, {
        clock: waiting,
        signal,
        show: (one) => void type(one).then(typed.resolve, typed.reject),
      });
      expect(result).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) });
      expect(polls).toBe(2);
    });
  });
});
