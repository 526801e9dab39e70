import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeSts, principal, signedRequest, tokenOf } from "./fake-sts.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let sts: FakeSts;
let uid: string;
beforeAll(async () => {
  sts = await FakeSts.start();
  platform = await RunningPlatform.start({ awsSts: sts.endpoint });
  uid = await identityOf({ arn: principal.Arn, userId: principal.UserId });
});
afterAll(async () => {
  await platform.stop();
  sts.stop();
});
beforeEach(() => {
  sts.received.length = 0;
  sts.principal = principal;
});

const identityOf = async (names: object) =>
  (
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${platform.root}`, {
      name: "a",
      awsIdentity: { awsAccount: principal.Account, ...names },
    })
  ).uid;
const binding = (identity = uid) => ({ "Muster-Audience": platform.url, "Muster-Identity": identity });
let number = 0;
/** A request that differs from all others. */
const request = (headers: Record<string, string> = binding(), at = platform.now, unsigned = {}) =>
  signedRequest({ at, headers: { ...headers, "x-number": String(++number) }, unsigned });
const exchange = (lines: readonly string[], identity = uid) => platform.exchange(tokenOf(lines), identity);
const denied = { status: 403, body: { code: 7 } };
const minute = 60_000;

describe("exchange for an AWS identity", () => {
  it("accepts a request to GetCallerIdentity that AWS says was signed by the principal", async () => {
    const { status, body, text } = await exchange(request());
    expect(status, text).toBe(200);
    expect(decodeJwt(body.token)).toMatchObject({
      sub: uid,
      act: { iss: "https://sts.amazonaws.com", sub: principal.Arn, aud: platform.url },
    });
    expect(sts.received).toHaveLength(1);
    expect(sts.received[0]).toMatchObject({ host: "sts.amazonaws.com", accept: "application/json" });
  });

  it("asks an endpoint with a certificate for its own name, and sends the host header as it was signed", async () => {
    sts.serverNames.length = 0;
    const named = await RunningPlatform.start({ awsSts: sts.endpointAt("localhost") });
    const { uid: identity } = await named.admin.ok("POST", `/iam/v2beta1/identities/${named.root}`, {
      name: "a",
      awsIdentity: { awsAccount: principal.Account, arn: principal.Arn, userId: principal.UserId },
    });
    const headers = { "Muster-Audience": named.url, "Muster-Identity": identity };
    expect((await named.exchange(tokenOf(request(headers)), identity)).status).toBe(200);
    await named.stop();
    expect((await exchange(request())).status).toBe(200);
    // RFC 6066 allows no address as the name of a server.
    expect(sts.serverNames).toEqual(["localhost", false]);
    expect(sts.received.map(({ host }) => host)).toEqual(["sts.amazonaws.com", "sts.amazonaws.com"]);
  });

  it("matches patterns of the ARN and the user id, and nothing of another principal", async () => {
    const byPattern = await identityOf({
      arnPattern: "arn:aws:sts::[0-9]+:assumed-role/builder/.*",
      userIdPattern: "AROA.*",
    });
    expect((await exchange(request(binding(byPattern)), byPattern)).status).toBe(200);
    for (const other of [
      { Account: "210987654321" },
      { Arn: "arn:aws:sts::123456789012:assumed-role/other/session" },
      { UserId: "AIDA" },
    ]) {
      sts.principal = { ...principal, ...other };
      for (const identity of [uid, byPattern]) {
        const response = await exchange(request(binding(identity)), identity);
        expect(response).toMatchObject(denied);
        expect(response.text).toContain("may not assume");
      }
    }
  });

  it("accepts each token once, however it is written", async () => {
    const lines = request();
    const rewritten = [...lines.slice(0, 1), ...lines.slice(1).toReversed(), "user-agent: again"];
    const responses = await Promise.all([exchange(lines), exchange(rewritten)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
    expect((await exchange(lines)).text).toContain("already used");
  });

  it.each<[string, () => readonly string[]]>([
    ["another token service", () => request({ ...binding(), "Muster-Audience": "https://other.example.com" })],
    ["another identity", () => request(binding(`${platform.root}/0000000000000000`))],
    ["a date over 15 min ago", () => request(binding(), platform.now - 16 * minute)],
    ["a date over 5 min ahead", () => request(binding(), platform.now + 6 * minute)],
  ])("rejects %s with 7, without asking AWS", async (_, lines) => {
    expect(await exchange(lines())).toMatchObject(denied);
    expect(sts.received).toHaveLength(0);
  });

  it.each<[string, () => readonly string[]]>([
    ["another path", () => request().with(0, "POST /x HTTP/1.1")],
    ["another action", () => request().with(0, "POST /?Action=GetSessionToken&Version=2011-06-15 HTTP/1.1")],
    [
      "another host in the target",
      () => request().with(0, "POST https://evil.example.com/?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1"),
    ],
    ["another host", () => request().map((line) => line.replace(/^host: .*/, "host: evil.example.com"))],
    [
      "a date that is not in the calendar",
      () => request().map((line) => line.replaceAll(/\b20\d{6}(?=[T/])/g, "20260230")),
    ],
    ["a header twice", () => [...request(), "Muster-Identity: other"]],
    ["an unsigned binding", () => request({}, platform.now, binding())],
    ["an unsigned header", () => request(binding(), platform.now, { "x-forwarded-host": "evil" })],
    ["a body", () => [...request(), "", "Action=GetSessionToken"]],
    ["a header that concerns the connection", () => request({ ...binding(), connection: "close" })],
    ["a header with a line break", () => [...request(), "x: a\nhost: b"]],
    ["no signature", () => request().filter((line) => !line.startsWith("authorization"))],
  ])("rejects %s with 3, without asking AWS", async (_, lines) => {
    expect((await exchange(lines())).body).toMatchObject({
      code: 3,
      details: [{}, { fieldViolations: [{ field: "authorization" }] }],
    });
    expect(sts.received).toHaveLength(0);
  });

  it("rejects a signature that AWS does not accept, and a JWT", async () => {
    const forged = request().map((line) => line.replace(/Signature=.{4}/, "Signature=0000"));
    const response = await exchange(forged);
    expect(response).toMatchObject(denied);
    expect(response.text).toContain("AWS does not accept the signature");
    const other = await platform.makeIdentity(platform.root);
    expect(await platform.exchange(await platform.subjectToken(other), uid)).toMatchObject(denied);
    expect(await exchange(request(binding(other)), other)).toMatchObject(denied);
  });

  it("reports an invalid or missing response of AWS as temporary, without what was received", async () => {
    sts.principal = { Account: "confidential" };
    const response = await exchange(request());
    expect(response).toMatchObject({ status: 503, body: { code: 14 } });
    expect(response.text).not.toContain("confidential");
  });

  it("names the headers as the setting says", async () => {
    const acme = await RunningPlatform.start({ awsSts: sts.endpoint, awsHeaderVendor: "Acme" });
    const { uid: identity } = await acme.admin.ok("POST", `/iam/v2beta1/identities/${acme.root}`, {
      name: "a",
      awsIdentity: { awsAccount: principal.Account, arnPattern: ".*", userIdPattern: ".*" },
    });
    const headers = { "Acme-Audience": acme.url, "Acme-Identity": identity };
    expect((await acme.exchange(tokenOf(request(headers)), identity)).status).toBe(200);
    expect((await acme.exchange(tokenOf(request(binding(identity))), identity)).body).toMatchObject({ code: 3 });
    await acme.stop();
  });
});
