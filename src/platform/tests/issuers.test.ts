import type { RequestListener } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let issuer: DiscoveredIssuer;
let platform: RunningPlatform;
beforeEach(async () => {
  issuer = await DiscoveredIssuer.start();
  platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
});
afterEach(async () => {
  await platform.stop();
  issuer.stop();
});

/** An identity in the root group. */
const identityOf = async (claimMatch: object, at = platform) =>
  (await at.admin.ok("POST", `/iam/v2beta1/identities/${at.root}`, { name: "a", claimMatch })).uid;

const denied = { status: 403, body: { code: 7 } };
const unavailable = { status: 503, body: { code: 14 } };

describe("an issuer with discovery", () => {
  it("can have a private address if the settings trust it, and is contacted only after the token matched", async () => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    expect(await platform.exchange(await issuer.sign({ sub: "somebody else" }), uid)).toMatchObject(denied);
    expect(issuer.requests).toBe(0);
    expect((await platform.exchange(await issuer.sign({ sub: "s" }), uid)).status).toBe(200);
    expect((await platform.exchange(await issuer.sign({ sub: "s" }), uid)).status).toBe(200);
    expect(issuer.requests).toBe(2);
  });

  it("is rejected at a private address if the settings do not trust it", async () => {
    const separate = await RunningPlatform.start();
    const claimMatch = { issuerPattern: "https://127[.]0[.]0[.]1:[0-9]+", subject: "s" };
    const response = await separate.exchange(await issuer.sign({ sub: "s" }), await identityOf(claimMatch, separate));
    expect(response).toMatchObject(unavailable);
    expect(response.text).toContain("is unreachable, or does not have a public address");
    await separate.stop();
  });

  it.each<[string, RequestListener, string, object]>([
    [
      "a redirect",
      (_, response) => response.writeHead(302, { location: "https://confidential" }).end("confidential"),
      "responded with a redirect",
      denied,
    ],
    [
      "an error",
      (_, response) => response.writeHead(500).end("confidential"),
      "responded with HTTP status 500",
      unavailable,
    ],
    [
      "keys that nobody can verify a token with",
      ({ url }, response) => {
        const keys = { keys: [{ kty: "oct", k: "confidential", kid: "k" }] };
        response.end(JSON.stringify(url === "/keys" ? keys : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }));
      },
      "has no valid JWKS document with public keys",
      denied,
    ],
  ])(
    "is rejected if it returns %s: the message has the reason, but nothing of the response",
    async (_, respond, reason, expected) => {
      issuer.respond = respond;
      const uid = await identityOf({ issuer: issuer.url, subject: "s" });
      const response = await platform.exchange(await issuer.sign({ sub: "s" }), uid);
      expect(response).toMatchObject(expected);
      expect(response.text).toContain(reason);
      expect(response.text).not.toContain("confidential");
    },
  );

  it("is not impersonated by tokens that contain or reference their own key", async () => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const header = { kid: "k", jwk: await exportJWK(publicKey), jku: `${issuer.url}/evil`, x5u: `${issuer.url}/evil` };
    const token = await new SignJWT({ sub: "s", aud: "127.0.0.1", iss: issuer.url })
      .setProtectedHeader({ alg: "ES256", ...header })
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(privateKey);
    const response = await platform.exchange(token, uid);
    expect(response).toMatchObject(denied);
    expect(response.text).toContain("signature");
    // Its configuration and its keys.
    expect(issuer.requests).toBe(2);
  });

  it("that is slow does not keep more connections busy than the setting allows: 14", async () => {
    const slow = await DiscoveredIssuer.start();
    const settings = { trustedIssuers: [issuer.trusted, slow.trusted] };
    const separate = await RunningPlatform.start(settings, { maximumIssuerRequests: 1 });
    const answers: (() => void)[] = [];
    slow.respond = (_, response) => void answers.push(() => response.writeHead(500).end());
    const ofSlow = await identityOf({ issuer: slow.url, subject: "s" }, separate);
    const waiting = separate.exchange(await slow.sign({ sub: "s" }), ofSlow);
    await vi.waitUntil(() => answers.length === 1);
    const uid = await identityOf({ issuer: issuer.url, subject: "s" }, separate);
    const refused = await separate.exchange(await issuer.sign({ sub: "s" }), uid);
    expect(refused).toMatchObject(unavailable);
    expect(refused.text).toContain("too many issuers are being asked");
    expect(issuer.requests).toBe(0);
    for (const answer of answers) answer();
    expect((await waiting).body).toMatchObject({ code: 14 });
    expect((await separate.exchange(await issuer.sign({ sub: "s" }), uid)).status).toBe(200);
    await separate.stop();
    slow.stop();
  });
});
