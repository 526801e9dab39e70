import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { FakeNameServer } from "#src/platform/names/fake-name-server.testing.ts";
import { NameResolver } from "#src/platform/names/name-resolver.ts";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let nameServer: FakeNameServer;
const issuers: DiscoveredIssuer[] = [];
beforeAll(async () => {
  nameServer = await FakeNameServer.start((name) => (name.endsWith("silent.test") ? "silent" : { a: ["127.0.0.1"] }));
  for (let n = 0; n < 8; n++) issuers.push(await DiscoveredIssuer.start(`issuer-${n}.bystander.test`));
  platform = await RunningPlatform.start(
    { trustedIssuers: issuers.map(({ trusted }) => trusted) },
    { names: new NameResolver({ servers: [nameServer.address] }) },
  );
});
afterAll(async () => {
  await platform.stop();
  for (const issuer of issuers) issuer.stop();
  nameServer.stop();
});

const identityOf = async (root: string, issuer: string) =>
  (
    await platform.admin.ok("POST", `/iam/v2beta1/identities/${root}`, {
      name: "worker",
      claimMatch: { issuer, subject: "worker", audience: "127.0.0.1" },
    })
  ).uid;
const newRoot = async (name: string) => (await platform.admin.ok("POST", "/iam/v2beta1/groups", { name })).uid;

describe("exchanges while the name servers of a tenant's issuers are silent", () => {
  it("succeed at once for others, also with issuers whose keys are not known yet", async () => {
    const [tenant, bystander] = [await newRoot("tenant"), await newRoot("bystander")];
    const [signer] = issuers;
    if (signer === undefined) throw new Error("no issuer");
    const silent = Array.from({ length: 30 }, (_, n) => `https://issuer-${n}.silent.test`);
    const identities = await Promise.all(silent.map((issuer) => identityOf(tenant, issuer)));
    const workers = await Promise.all(issuers.map(({ url }) => identityOf(bystander, url)));
    const hanging = identities.map(async (uid, n) =>
      platform.exchange(await signer.sign({ sub: "worker", iss: silent[n] }), uid),
    );
    const asked = () => silent.filter((issuer) => nameServer.queries.includes(`A ${new URL(issuer).hostname}`));
    await vi.waitFor(() => expect(asked()).toHaveLength(silent.length), { timeout: 5_000 });
    for (const [n, issuer] of issuers.entries()) {
      const token = await issuer.sign({ sub: "worker" });
      expect(await platform.exchange(token, workers[n] ?? "")).toMatchObject({ status: 200 });
    }
    const unavailable = { status: 503, body: { code: 14 } };
    for (const response of await Promise.all(hanging)) expect(response).toMatchObject(unavailable);
  });
});
