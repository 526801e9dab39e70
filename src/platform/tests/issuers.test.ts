import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let issuer: DiscoveredIssuer;
let slow: DiscoveredIssuer;
beforeAll(async () => {
  [issuer, slow] = await Promise.all([DiscoveredIssuer.start(), DiscoveredIssuer.start()]);
});
afterAll(() => {
  issuer.stop();
  slow.stop();
});

const identityOf = async (platform: RunningPlatform, { url }: DiscoveredIssuer) =>
  (
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${platform.root}`, {
      name: "a",
      claimMatch: { issuer: url, subject: "s" },
    })
  ).uid;

describe("issuers", () => {
  it("that are slow do not keep more connections busy than the setting allows: 14", async () => {
    const platform = await RunningPlatform.start(
      { trustedIssuers: [issuer.trusted, slow.trusted] },
      { maximumIssuerRequests: 1 },
    );
    const answers: (() => void)[] = [];
    slow.respond = (_, response) => void answers.push(() => response.writeHead(500).end());
    const waiting = platform.exchange(await slow.sign({ sub: "s" }), await identityOf(platform, slow));
    await vi.waitUntil(() => answers.length === 1);
    const uid = await identityOf(platform, issuer);
    const refused = await platform.exchange(await issuer.sign({ sub: "s" }), uid);
    expect(refused).toMatchObject({ status: 503, body: { code: 14 } });
    expect(refused.text).toContain("too many issuers are being asked");
    expect(issuer.requests).toBe(0);
    for (const answer of answers) answer();
    expect((await waiting).body).toMatchObject({ code: 14 });
    expect((await platform.exchange(await issuer.sign({ sub: "s" }), uid)).status).toBe(200);
    await platform.stop();
  });

  it("may have several keys of a type without ids: each is tried", async () => {
    const platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
    const withoutId = issuer.keys.map((key) => ({ ...key, kid: undefined }));
    issuer.keys = [other, ...withoutId, other];
    const response = await platform.exchange(await issuer.sign({ sub: "s" }, {}), await identityOf(platform, issuer));
    expect(response.status, response.text).toBe(200);
    await platform.stop();
  });
});
