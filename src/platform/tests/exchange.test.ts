import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { createRemoteJWKSet, decodeJwt, exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.ts";
import { selfSignedCertificate } from "./self-signed.ts";

let platform: RunningPlatform;
let identity: string;
beforeAll(async () => {
  platform = await RunningPlatform.start({ audiences: ["https://other.example.com"] });
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

const refused = { status: 403, body: { code: 7 } };

describe("token exchange", () => {
  it("answers an API token of one hour with iss, sub, aud and act, signed by a published key", async () => {
    const incoming = await platform.incomingToken(identity);
    const { status, body, headers } = await platform.exchange(incoming, identity);
    expect(status).toBe(200);
    expect(headers.get("cache-control")).toBe("no-store");
    const { payload } = await jwtVerify(
      body.token,
      createRemoteJWKSet(new URL(`${platform.url}/.well-known/jwks.json`)),
    );
    expect(payload).toEqual({
      iss: platform.url,
      sub: identity,
      aud: [platform.url],
      act: { iss: "https://issuer.example.com", sub: "caller", aud: ["127.0.0.1"] },
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 3_600,
    });
    expect(body.expiry).toBe(new Date((payload.exp ?? 0) * 1_000).toISOString());
    const discovery = await platform.as(undefined).get("/.well-known/openid-configuration");
    expect(discovery.body).toMatchObject({ issuer: platform.url, jwks_uri: `${platform.url}/.well-known/jwks.json` });
  });

  it("takes parameters form-encoded by POST", async () => {
    const form = new URLSearchParams({ aud: platform.url, identity, cap: "groups.list" });
    form.append("cap", "repo.list");
    const response = await fetch(`${platform.url}/sts/exchange`, {
      method: "POST",
      headers: { authorization: `bearer ${await platform.incomingToken(identity)}` },
      body: form,
    });
    const { token } = (await response.json()) as { token: string };
    expect(decodeJwt(token)).toMatchObject({ cap: ["groups.list", "repo.list"] });
  });

  it("an unknown identity and any mismatch get one and the same phrase (7)", async () => {
    const missing = `${platform.root}/0000000000000000`;
    const answers = [
      await platform.exchange(await platform.incomingToken(identity), missing),
      await platform.exchange(await platform.incomingToken(identity, { iss: "https://evil.example.com" }), identity),
      await platform.exchange(await platform.incomingToken(identity, { sub: "somebody else" }), identity),
      await platform.exchange(await platform.incomingToken(identity, { aud: "elsewhere" }), identity),
      await platform.exchange(await platform.incomingToken(identity, { aud: undefined }), identity),
      // Wrong in time too: the mismatch is decided first.
      await platform.exchange(await platform.incomingToken(identity, { sub: "x", exp: 1 }), identity),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ ...refused, text: answers[0]?.text });
  });

  it.each([
    ["has expired", { exp: 1 }],
    ["has no expiry", { exp: undefined }],
    ["is not valid yet", { nbf: 4_102_444_800 }],
    ["is not valid yet", { iat: 4_102_444_800 }],
  ])("a token that %s is refused, and told why (7)", async (message, claims) => {
    const answer = await platform.exchange(await platform.incomingToken(identity, claims), identity);
    expect(answer).toMatchObject(refused);
    expect(answer.text).toContain(message);
  });

  it("a bad signature is named (7): another key, no algorithm, a changed token", async () => {
    const other = await platform.makeIdentity(platform.root);
    const [header, payload, signature] = (await platform.incomingToken(identity)).split(".");
    const none = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    const symmetric = await new SignJWT(decodeJwt(`${header}.${payload}.${signature}`))
      .setProtectedHeader({ alg: "HS256", kid: "1" })
      .sign(Buffer.from("a public key that everybody knows"));
    for (const token of [
      await platform.incomingToken(other),
      none,
      symmetric,
      `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
    ]) {
      const answer = await platform.exchange(token, identity);
      expect(answer).toMatchObject(refused);
      expect(answer.text).toContain("signature");
      expect(answer.text).not.toContain(payload ?? "");
    }
  });

  it("a token that is larger than any issuer's is not read: 16", async () => {
    const large = await platform.incomingToken(identity, { padding: "x".repeat(16_000) });
    const answer = await platform.exchange(large, identity);
    expect(answer.body).toMatchObject({ code: 16 });
    const fits = await platform.incomingToken(identity, { padding: "x".repeat(8_000) });
    expect((await platform.exchange(fits, identity)).status).toBe(200);
  });

  it.each([undefined, "nonsense", "a.b.c", `${Buffer.from("{}").toString("base64url")}.e30.x`])(
    "a bearer that is no token (%j): 16",
    async (bearer) => {
      const answer = await platform.as(bearer).get(`/sts/exchange?aud=${platform.url}&identity=${identity}`);
      expect(answer.body).toMatchObject({ code: 16 });
    },
  );

  it.each([
    ["aud", () => `identity=${identity}`],
    ["aud", () => `identity=${identity}&aud=https://evil.example.com`],
    ["identity", () => `aud=${platform.url}`],
    ["identity", () => `aud=${platform.url}&identity=nonsense`],
    ["cap", () => `aud=${platform.url}&identity=${identity}&cap=groups.fly`],
    ["scope", () => `aud=${platform.url}&identity=${identity}&scopes=nonsense`],
  ])("refuses a wrong %s with 3", async (field, query) => {
    const answer = await platform.as(await platform.incomingToken(identity)).get(`/sts/exchange?${query()}`);
    expect(answer.body).toMatchObject({ code: 3, details: [{}, { fieldViolations: [{ field }] }] });
  });

  it("makes tokens for audiences of the settings, which the API itself does not take", async () => {
    const incoming = await platform.incomingToken(identity);
    const { body } = await platform
      .as(incoming)
      .get(`/sts/exchange?identity=${identity}&aud=https://other.example.com`);
    expect(decodeJwt(body.token).aud).toEqual(["https://other.example.com"]);
    expect((await platform.as(body.token).get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
  });

  it("refuses the platform's own tokens, also where a pattern would match them, and answers 12 for AWS", async () => {
    const { token } = (await platform.exchange(await platform.incomingToken(identity), identity)).body;
    const own = await platform.admin.ok("POST", `/iam/v2beta1/identities/${platform.root}`, {
      name: "any",
      claimMatch: { issuerPattern: ".*", subjectPattern: ".*", audiencePattern: ".*" },
    });
    const answer = await platform.exchange(token, own.uid);
    expect(answer).toMatchObject(refused);
    expect(answer.text).toContain("may not assume this identity");
    const aws = await platform.admin.ok("POST", `/iam/v2beta1/identities/${platform.root}`, {
      name: "aws",
      awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" },
    });
    expect(await platform.exchange(token, aws.uid)).toMatchObject({ status: 501, body: { code: 12 } });
  });

  it("static keys that have expired give nothing: 7 at the exchange, 16 with a token that was given", async () => {
    const own = await RunningPlatform.start();
    const caller = await own.callerWith("viewer", own.root);
    const soon = new Date(own.now + 60_000).toISOString();
    await own.admin.ok("PATCH", `/iam/v2beta1/identities/${caller.identity}`, { staticKeys: { expirationTime: soon } });
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(200);
    own.advance(61_000);
    expect((await caller.get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    expect(await own.exchange(await own.incomingToken(caller.identity), caller.identity)).toMatchObject(refused);
    await own.stop();
  });

  it("lastSeenTime moves when the identity is assumed, updateTime does not", async () => {
    const own = await RunningPlatform.start();
    const uid = await own.makeIdentity(own.root);
    const before = await own.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    own.advance(120_000);
    expect((await own.exchange(await own.incomingToken(uid), uid)).status).toBe(200);
    const after = await own.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    expect(Date.parse(after["lastSeenTime"] as string) - Date.parse(before.createTime)).toBeGreaterThanOrEqual(120_000);
    expect(after.updateTime).toBe(before.updateTime);
    await own.stop();
  });
});

describe("an issuer with discovery", () => {
  const { key, certificate } = selfSignedCertificate();
  let server: Server;
  let issuer: string;
  let sign: (subject: string) => Promise<string>;
  let asked = 0;
  const paths: string[] = [];
  let publicKey: KeyObject;
  /** Answers in the place of what is right. */
  let wrong: RequestListener | undefined;

  /** What an issuer may answer that is wrong, by name. */
  const wrongAnswers = (): Readonly<Record<string, RequestListener>> => {
    const document = (body: object) => (_: unknown, response: ServerResponse) => response.end(JSON.stringify(body));
    const keys = (body: object) => (request: IncomingMessage, response: ServerResponse) =>
      response.end(JSON.stringify(request.url === "/keys" ? body : { issuer, jwks_uri: `${issuer}/keys` }));
    return {
      "a redirect, wherever it leads": (_, response) =>
        response.writeHead(302, { location: `${issuer}/confidential` }).end("confidential"),
      "an error": (_, response) => response.writeHead(500).end("confidential"),
      "a document of another issuer": document({ issuer: "https://confidential", jwks_uri: `${issuer}/keys` }),
      "a document without keys": document({ issuer, confidential: true }),
      "a document that is very large": (_, response) => response.end("confidential".repeat(30_000)),
      text: (_, response) => response.end("confidential"),
      "keys over http": document({ issuer, jwks_uri: "http://127.0.0.1/confidential" }),
      "keys that are no document of keys": keys(["confidential"]),
      "symmetric keys alone": keys({ keys: [{ kty: "oct", k: "confidential", kid: "k" }] }),
    };
  };

  beforeAll(async () => {
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { privateKey } = pair;
    publicKey = pair.publicKey;
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k" };
    server = createServer({ key, cert: certificate }, (request, response) => {
      asked++;
      paths.push(request.url ?? "");
      if (wrong !== undefined) return wrong(request, response);
      const discovery = { issuer, jwks_uri: `${issuer}/keys` };
      response.end(JSON.stringify(request.url === "/keys" ? { keys: [jwk] } : discovery));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const identityOf = async (own: RunningPlatform) =>
    (
      await own.admin.ok("POST", `/iam/v2beta1/identities/${own.root}`, {
        name: "a",
        claimMatch: { issuer, subject: "workload" },
      })
    ).uid;

  it("that the settings trust may be private; nothing is fetched before the token matches", async () => {
    const own = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(own);
    expect(await own.exchange(await sign("somebody else"), uid)).toMatchObject(refused);
    expect(asked).toBe(0);
    expect((await own.exchange(await sign("workload"), uid)).status).toBe(200);
    expect((await own.exchange(await sign("workload"), uid)).status).toBe(200);
    expect(asked).toBe(2);
    await own.stop();
  });

  it.each([
    ["a redirect, wherever it leads", "responded with a redirect", false],
    ["an error", "responded with HTTP status 500", true],
    ["a document of another issuer", "has a discovery document of another issuer", false],
    ["a document without keys", "has a discovery document without jwks_uri", false],
    ["a document that is very large", "is larger than 256 KiB", false],
    ["text", "has a discovery document that is not JSON", false],
    ["keys over http", "is not an https URL", false],
    ["keys that are no document of keys", "has no valid JWKS document with public keys", false],
    ["symmetric keys alone", "has no valid JWKS document with public keys", false],
  ])("that answers %s is refused with the reason, and nothing of what it said", async (kind, reason, transient) => {
    const own = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    wrong = wrongAnswers()[kind];
    const answer = await own.exchange(await sign("workload"), await identityOf(own));
    wrong = undefined;
    expect(answer).toMatchObject(transient ? { status: 503, body: { code: 14 } } : refused);
    expect(answer.text).toContain(reason);
    expect(answer.text).not.toContain("confidential");
    await own.stop();
  });

  it("a published key is no secret: who signs with it as one is refused (7), as is who names no algorithm", async () => {
    const own = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(own);
    const genuine = await sign("workload");
    expect((await own.exchange(genuine, uid)).status).toBe(200);
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
      const answer = await own.exchange(token, uid);
      expect(answer, token.slice(0, 40)).toMatchObject(refused);
      expect(answer.text).toContain("signature");
    }
    await own.stop();
  });

  it("a key that the token brings along counts for nothing", async () => {
    const own = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const uid = await identityOf(own);
    const { publicKey: brought, privateKey } = await generateKeyPair("ES256");
    const [jwk, seconds] = [await exportJWK(brought), Math.floor(Date.now() / 1_000)];
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
    const answer = await own.exchange(token, uid);
    expect(answer).toMatchObject(refused);
    expect(answer.text).toContain("signature");
    expect(paths.slice(before)).not.toContain("/evil");
    await own.stop();
  });

  it("that the settings do not trust is refused at a private address", async () => {
    const own = await RunningPlatform.start();
    const answer = await own.exchange(await sign("workload"), await identityOf(own));
    expect(answer).toMatchObject(refused);
    expect(answer.text).toContain("does not have a public address");
    await own.stop();
  });
});
