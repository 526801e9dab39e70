import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let issuer: DiscoveredIssuer;
beforeAll(async () => {
  issuer = await DiscoveredIssuer.start();
  platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
});
afterAll(async () => {
  await platform.stop();
  issuer.stop();
});

const create = (claimMatch: object) =>
  platform.admin.post(`/iam/v2beta1/identities/${platform.root}`, { name: "a", claimMatch });
const violationOf = (field: string, description: string | RegExp) => ({
  code: 3,
  details: [{}, { fieldViolations: [{ field, description: expect.stringMatching(description) }] }],
});
/** With the signature of another token, so that anybody can make it. */
const unsigned = (token: string) => `${token.slice(0, -4)}AAAA`;

describe("patterns of identities", () => {
  it.each([
    // With such a pattern, an unsigned token of 12 KB blocked the process for 6.5 s.
    ["ten repetitions of any 1,000 characters", "(.{0,1000})".repeat(10)],
    // And with this one, for 354 s.
    ["82 repetitions of any 1,000 characters", "(.{0,1000})".repeat(82)],
  ])("are refused when they are created if they compile to a large program: %s", async (_, subjectPattern) => {
    const started = performance.now();
    const { body } = await create({ issuer: issuer.url, subjectPattern });
    expect(body).toMatchObject(violationOf("claimMatch.subjectPattern", /^is too large/));
    // Compiling the first of them takes 0.2 s, and the second 3 s.
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("are limited together, and an issuer's more than the others", async () => {
    const claimPatterns = (count: number, pattern: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`claim${String(n).padStart(2, "0")}`, pattern]));
    const base = { issuer: issuer.url, subject: "s" };
    expect((await create({ ...base, claimPatterns: claimPatterns(32, "[a-z]*") })).status).toBe(200);
    for (const [claimMatch, field, description] of [
      [{ ...base, claimPatterns: claimPatterns(33, "a") }, "claimMatch.claimPatterns.claim32", /at most 32 patterns/],
      [
        { ...base, claimPatterns: claimPatterns(5, `[${"a-z".repeat(300)}]`) },
        "claimMatch.claimPatterns.claim04",
        /at most 4096 characters/,
      ],
      [
        { ...base, claimPatterns: claimPatterns(5, "[a-z]{300}") },
        "claimMatch.claimPatterns.claim03",
        /all patterns of an identity compile to at most 1000 instructions/,
      ],
      [
        { subject: "s", issuerPattern: "https://[a-z]{300}" },
        "claimMatch.issuerPattern",
        /it compiles to at most 200 instructions/,
      ],
    ] as const)
      expect((await create(claimMatch)).body, field).toMatchObject(violationOf(field, description));
  });

  it("match only after the signature is verified, the issuer's excepted", async () => {
    const { uid } = (
      await create({
        issuer: issuer.url,
        subjectPattern: "repo:org/.*",
        audiencePattern: "127.*",
        claimPatterns: { team: "r.d" },
      })
    ).body;
    const claims = { sub: "repo:org/app", team: "red" };
    expect((await platform.exchange(await issuer.sign(claims), uid)).status).toBe(200);
    for (const other of [{ sub: "repo:other" }, { aud: "other" }, { team: "blue" }, { team: undefined }]) {
      const token = await issuer.sign({ ...claims, ...other });
      const signed = await platform.exchange(token, uid);
      expect(signed).toMatchObject({ status: 403, body: { code: 7 } });
      expect(signed.text).toContain("may not assume");
      const response = await platform.exchange(unsigned(token), uid);
      expect(response).toMatchObject({ status: 403, body: { code: 7 } });
      expect(response.text).toContain("signature");
    }
    const before = issuer.requests;
    const byIssuer = (await create({ issuerPattern: "https://other[.]example[.]com", subject: "s" })).body.uid;
    expect((await platform.exchange(await issuer.sign({ sub: "s" }), byIssuer)).text).toContain("may not assume");
    expect(issuer.requests).toBe(before);
  });

  it("are matched with claims of a bounded length", async () => {
    const { uid } = (await create({ issuer: issuer.url, subject: "s", claimPatterns: { team: "(.{0,90}x){5}" } })).body;
    const exchange = async (team: string) => platform.exchange(await issuer.sign({ sub: "s", team }), uid);
    expect((await exchange("x".repeat(5))).status).toBe(200);
    const response = await exchange("x".repeat(8_000));
    expect(response).toMatchObject({ status: 403, body: { code: 7 } });
    expect(response.text).toContain("too long for the patterns");
  });
});

describe("subject tokens", () => {
  it.each([
    ["issuer (iss)", { iss: `https://${"i".repeat(1_100)}` }],
    ["subject (sub)", { sub: "s".repeat(1_100) }],
    ["list of audiences (aud)", { aud: Array.from({ length: 33 }, (_, n) => String(n)) }],
    ["list of audiences (aud)", { aud: Array.from({ length: 5 }, () => "a".repeat(1_000)) }],
  ])("with a long %s are rejected with 16", async (name, claims) => {
    const { uid } = (await create({ issuer: issuer.url, subjectPattern: ".*", audiencePattern: ".*" })).body;
    const { body } = await platform.exchange(await issuer.sign({ sub: "s", ...claims }), uid);
    expect(body).toMatchObject({
      code: 16,
      message: expect.stringContaining(`the ${name} of the bearer token has more`),
    });
  });
});
