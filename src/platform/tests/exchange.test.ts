import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";
import { RunningPlatform } from "./running-platform.testing.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

let platform: RunningPlatform;
let identity: string;
const lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) });
  platform = await RunningPlatform.start({ audiences: ["https://other.example.com"] }, { log });
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

const denied = { status: 403, body: { code: 7 } };

describe("token exchange", () => {
  it("returns an API token with exactly the claims iss, sub, aud, act, iat and exp", async () => {
    const { body } = await platform.exchange(await platform.subjectToken(identity), identity);
    expect(Object.keys(decodeJwt(body.token)).toSorted()).toEqual(["act", "aud", "exp", "iat", "iss", "sub"]);
  });

  it("returns an API token that is rejected after one hour", async () => {
    const separate = await RunningPlatform.start();
    const caller = await separate.callerWith("viewer", separate.root);
    separate.advance(3_590_000);
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(200);
    separate.advance(15_000);
    expect((await caller.get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    await separate.stop();
  });

  it("logs why an exchange was refused, without the token, and tells the caller less", async () => {
    const token = await platform.subjectToken(identity, { sub: "somebody else" });
    const unknown = `${platform.root}/ffffffffffffffff`;
    const expired = await platform.subjectToken(identity, { exp: 1 });
    lines.length = 0;
    const { text } = await platform.exchange(token, identity);
    expect((await platform.exchange(token, unknown)).text).toBe(text);
    await platform.exchange(expired, identity);
    const refusal = { msg: "call refused", issuer: "https://issuer.example.com", audiences: ["127.0.0.1"] };
    expect(lines).toMatchObject([
      { ...refusal, identity, mismatch: "the subject does not match", subject: "somebody else" },
      { ...refusal, mismatch: "the identity does not exist" },
      { ...refusal, identity, mismatch: "Permission denied: the token has expired", subject: "caller" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("eyJ");
  });

  it("rejects very large subject tokens with 16", async () => {
    const large = await platform.subjectToken(identity, { padding: "x".repeat(16_000) });
    const response = await platform.exchange(large, identity);
    expect(response.body).toMatchObject({ code: 16 });
    const fits = await platform.subjectToken(identity, { padding: "x".repeat(8_000) });
    expect((await platform.exchange(fits, identity)).status).toBe(200);
  });

  it("issues tokens for audiences from the settings, which the API itself does not accept", async () => {
    const subjectToken = await platform.subjectToken(identity);
    const { body } = await platform
      .as(subjectToken)
      .get(`/sts/exchange?identity=${identity}&aud=https://other.example.com`);
    expect(decodeJwt(body.token).aud).toEqual(["https://other.example.com"]);
    expect((await platform.as(body.token).get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
  });

  it("updates the identity's lastSeenTime, but not its updateTime", async () => {
    const separate = await RunningPlatform.start();
    const uid = await separate.makeIdentity(separate.root);
    const before = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    separate.advance(120_000);
    expect((await separate.exchange(await separate.subjectToken(uid), uid)).status).toBe(200);
    const after = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    expect(Date.parse(after["lastSeenTime"] as string) - Date.parse(before.createTime)).toBeGreaterThanOrEqual(120_000);
    expect(after.updateTime).toBe(before.updateTime);
    await separate.stop();
  });

  it("updates lastSeenTime in the first exchange, also in the millisecond of the creation", async () => {
    const separate = await RunningPlatform.start();
    separate.freeze();
    const uid = await separate.makeIdentity(separate.root);
    expect((await separate.exchange(await separate.subjectToken(uid), uid)).status).toBe(200);
    const { createTime, lastSeenTime } = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    expect(Date.parse(String(lastSeenTime)) - Date.parse(createTime)).toBe(1);
    await separate.stop();
  });
});

it("counts only callers that have proved to be the identity against its rate limit", async () => {
  const separate = await RunningPlatform.start({}, { rateLimit: 2 });
  separate.freeze();
  const uid = await separate.makeIdentity(separate.root);
  const token = await separate.subjectToken(uid);
  const somebodyElse = await separate.subjectToken(uid, { sub: "somebody else" });
  for (let count = 0; count < 5; count++) expect(await separate.exchange(somebodyElse, uid)).toMatchObject(denied);
  for (const status of [200, 200, 429]) expect((await separate.exchange(token, uid)).status).toBe(status);
  await separate.stop();
});

describe("an auth URL with a path", () => {
  it("is where the token service and its documents are served, and the issuer of tokens", async () => {
    const address = "127.0.0.1:19";
    const separate = await RunningPlatform.start({ authUrl: `http://${address}/some/auth` });
    const uid = await separate.makeIdentity(separate.root);
    const token = await separate.subjectToken(uid);
    const query = `aud=${encodeURIComponent(separate.url)}&identity=${uid}`;
    const { status, body } = await separate.as(token).get(`/some/auth/sts/exchange?${query}`);
    expect(status).toBe(200);
    expect(decodeJwt(body.token).iss).toBe(`http://${address}/some/auth`);
    const refresh = "/some/auth/sts/exchange_refresh_token";
    expect((await separate.as(String(body["refreshToken"])).post(refresh, {})).status).toBe(200);
    const anonymous = separate.as(undefined);
    const discovery = await anonymous.get("/some/auth/.well-known/openid-configuration");
    const { jwks_uri: keys } = discovery.body as unknown as { jwks_uri: string };
    expect((await anonymous.get(new URL(keys).pathname)).body["keys"]).toHaveLength(1);
    expect((await anonymous.get("/sts/exchange")).body).toMatchObject({ code: 16 });
    expect((await anonymous.get("/some/auth/iam/v2beta1/groups")).status).toBe(404);
    await separate.stop();
  });
});

describe("an issuer with discovery", () => {
  const { key, certificate } = selfSignedCertificate();
  let server: Server;
  let issuer: string;
  let sign: (subject: string) => Promise<string>;
  let requests = 0;
  const paths: string[] = [];
  let publicKey: KeyObject;
  /** Replaces the correct responses. */
  let fault: RequestListener | undefined;

  /** Incorrect responses of an issuer, by name. */
  const faults = (): Readonly<Record<string, RequestListener>> => {
    const document = (body: object) => (_: unknown, response: ServerResponse) => response.end(JSON.stringify(body));
    const keys = (body: object) => (request: IncomingMessage, response: ServerResponse) =>
      response.end(JSON.stringify(request.url === "/keys" ? body : { issuer, jwks_uri: `${issuer}/keys` }));
    return {
      "a redirect": (_, response) =>
        response.writeHead(302, { location: `${issuer}/confidential` }).end("confidential"),
      "an error": (_, response) => response.writeHead(500).end("confidential"),
      "a document of another issuer": document({ issuer: "https://confidential", jwks_uri: `${issuer}/keys` }),
      "a document without keys": document({ issuer, confidential: true }),
      "a very large document": (_, response) => response.end("confidential".repeat(30_000)),
      text: (_, response) => response.end("confidential"),
      "keys over http": document({ issuer, jwks_uri: "http://127.0.0.1/confidential" }),
      "keys that are not a JWKS document": keys(["confidential"]),
      "only symmetric keys": keys({ keys: [{ kty: "oct", k: "confidential", kid: "k" }] }),
    };
  };

  beforeAll(async () => {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { privateKey } = pair;
    publicKey = pair.publicKey;
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k" };
    server = createServer({ key, cert: certificate }, (request, response) => {
      requests++;
      paths.push(request.url ?? "");
      if (fault !== undefined) return fault(request, response);
      const discovery = { issuer, jwks_uri: `${issuer}/keys` };
      response.end(JSON.stringify(request.url === "/keys" ? { keys: [jwk] } : discovery));
    });
    issuer = `https://127.0.0.1:${await listenOnLoopback(server)}`;
    sign = (subject) =>
      new SignJWT()
        .setProtectedHeader({ alg: "RS256", kid: "k" })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience("127.0.0.1")
        .setIssuedAt()
        .setExpirationTime("10m")
        .sign(privateKey);
  });
  afterAll(() => closeServer(server));

  const identityOf = async (separate: RunningPlatform) =>
    (
      await separate.admin.ok("POST", `/iam/v2beta1/identities/${separate.root}`, {
        name: "a",
        claimMatch: { issuer, subject: "workload" },
      })
    ).uid;

  it("can have a private address if the settings trust it, and is contacted only after the token matched", async () => {
    const separate = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(separate);
    expect(await separate.exchange(await sign("somebody else"), uid)).toMatchObject(denied);
    expect(requests).toBe(0);
    expect((await separate.exchange(await sign("workload"), uid)).status).toBe(200);
    expect((await separate.exchange(await sign("workload"), uid)).status).toBe(200);
    expect(requests).toBe(2);
    await separate.stop();
  });

  it.each([
    ["a redirect", "responded with a redirect", false],
    ["an error", "responded with HTTP status 500", true],
    ["a document of another issuer", "has a discovery document of another issuer", false],
    ["a document without keys", "has a discovery document without jwks_uri", false],
    ["a very large document", "is larger than 256 KiB", false],
    ["text", "has a discovery document that is not JSON", false],
    ["keys over http", "is not an https URL", false],
    ["keys that are not a JWKS document", "has no valid JWKS document with public keys", false],
    ["only symmetric keys", "has no valid JWKS document with public keys", false],
  ])(
    "is rejected if it returns %s: the message has the reason, but nothing of the response",
    async (kind, reason, transient) => {
      const separate = await RunningPlatform.start({
        trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }],
      });
      fault = faults()[kind];
      const response = await separate.exchange(await sign("workload"), await identityOf(separate));
      fault = undefined;
      expect(response).toMatchObject(transient ? { status: 503, body: { code: 14 } } : denied);
      expect(response.text).toContain(reason);
      expect(response.text).not.toContain("confidential");
      await separate.stop();
    },
  );

  it("is not impersonated by tokens signed with its public key as a secret, or with the algorithm none", async () => {
    const separate = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(separate);
    const genuine = await sign("workload");
    expect((await separate.exchange(genuine, uid)).status).toBe(200);
    const payload = genuine.split(".")[1] ?? "";
    const forged = (alg: string, secret: string | Buffer) => {
      const header = Buffer.from(JSON.stringify({ alg, kid: "k" })).toString("base64url");
      const signature = createHmac(`sha${alg.slice(2)}`, secret)
        .update(`${header}.${payload}`)
        .digest("base64url");
      return `${header}.${payload}.${signature}`;
    };
    const der = publicKey.export({ type: "spki", format: "der" });
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const modulus = Buffer.from(publicKey.export({ format: "jwk" }).n ?? "", "base64url");
    const none = ["none", "None", "NONE", ""].flatMap((alg) => {
      const header = Buffer.from(JSON.stringify({ alg, kid: "k" })).toString("base64url");
      return [`${header}.${payload}.`, `${header}.${payload}.${genuine.split(".")[2]}`];
    });
    for (const token of [
      ...["HS256", "HS384", "HS512"].flatMap((alg) => [der, pem, modulus].map((secret) => forged(alg, secret))),
      ...none,
    ]) {
      const response = await separate.exchange(token, uid);
      expect(response, token.slice(0, 40)).toMatchObject(denied);
      expect(response.text).toContain("signature");
    }
    await separate.stop();
  });

  it("is not impersonated by tokens that contain or reference their own key", async () => {
    const separate = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(separate);
    const { publicKey: embedded, privateKey } = await generateKeyPair("ES256");
    const [jwk, seconds] = [await exportJWK(embedded), Math.floor(Date.now() / 1_000)];
    const token = await new SignJWT({
      sub: "workload",
      aud: "127.0.0.1",
      iss: issuer,
      iat: seconds,
      exp: seconds + 600,
    })
      .setProtectedHeader({ alg: "ES256", kid: "k", jwk, jku: `${issuer}/evil`, x5u: `${issuer}/evil` })
      .sign(privateKey);
    const before = paths.length;
    const response = await separate.exchange(token, uid);
    expect(response).toMatchObject(denied);
    expect(response.text).toContain("signature");
    expect(paths.slice(before)).not.toContain("/evil");
    await separate.stop();
  });

  it("is rejected at a private address if the settings do not trust it", async () => {
    const separate = await RunningPlatform.start();
    const claimMatch = { issuerPattern: "https://127[.]0[.]0[.]1:[0-9]+", subject: "workload" };
    const path = `/iam/v2beta1/identities/${separate.root}`;
    const { uid } = await separate.admin.ok("POST", path, { name: "a", claimMatch });
    const response = await separate.exchange(await sign("workload"), uid);
    expect(response).toMatchObject({ status: 503, body: { code: 14 } });
    expect(response.text).toContain("is unreachable, or does not have a public address");
    await separate.stop();
  });
});
