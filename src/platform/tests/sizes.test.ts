import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { AdvisoriesService } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import type { OpenApiDocument } from "../openapi/schema.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
});
afterAll(() => platform.stop());

/** The error for a field that is too large. */
const tooLarge = (field: string) => ({
  status: 400,
  body: { code: 3, details: [{}, { fieldViolations: [{ field: expect.stringMatching(field) }] }] },
});
const claims = (count: number, value = "v") =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`claim-${n}`, value]));
const identity = (claimMatch: object) => ({
  name: "a",
  claimMatch: { issuer: "https://issuer.example.com", subject: "s", ...claimMatch },
});
const uids = (count: number) =>
  Array.from({ length: count }, (_, n) => `${platform.root}/${n.toString(16).padStart(16, "0")}`);

describe("sizes of requests", () => {
  it("refuses JSON of many values before it is parsed", async () => {
    const path = `/iam/v2beta1/groups/${team}`;
    const nested = (levels: number) => `{"name":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(await platform.admin.post(path, nested(30_000))).toMatchObject(tooLarge("^body$"));
    expect(await platform.admin.post(path, nested(1_000))).toMatchObject({ status: 400, body: { code: 3 } });
  });

  it.each([
    ["identities", () => identity({ claims: claims(1, "v".repeat(65_537)) }), "^claimMatch\\.claims\\.claim-0$"],
    ["identities", () => identity({ claims: { ["k".repeat(1_025)]: "v" } }), "^claimMatch\\.claims$"],
    ["identities", () => identity({ claims: claims(1_001) }), "^claimMatch\\.claims$"],
    ["identities", () => identity({ audience: "v".repeat(65_537) }), "^claimMatch\\.audience$"],
    ["identities", () => identity({ claims: claims(6, "v".repeat(60_000)) }), "^claimMatch$"],
  ])(
    "refuses a resource of %s with a text, map or list over its limit, naming the field",
    async (type, body, field) => {
      expect(await platform.admin.post(`/iam/v2beta1/${type}/${team}`, body())).toMatchObject(tooLarge(field));
    },
  );

  it("refuses an update that makes a resource larger than 256 KiB, and changes nothing", async () => {
    const { uid } = await platform.admin.ok(
      "POST",
      `/iam/v2beta1/identities/${team}`,
      identity({ claims: claims(4, "v".repeat(60_000)) }),
    );
    const update = { claimMatch: { audience: "a".repeat(60_000) } };
    expect(await platform.admin.send("PATCH", `/iam/v2beta1/identities/${uid}`, update)).toMatchObject(
      tooLarge("^claimMatch$"),
    );
    expect((await platform.admin.ok("GET", `/iam/v2beta1/identities/${uid}`))["claimMatch"]).not.toHaveProperty(
      "audience",
    );
  });

  it("refuses lists of repos with too many or too long items", async () => {
    const path = `/registry/v2beta1/repos/${team}`;
    const items = Array.from({ length: 1_001 }, (_, n) => `item-${n}`);
    for (const field of ["bundles", "aliases", "activeTags"]) {
      expect(await platform.admin.post(path, { name: "a", [field]: items })).toMatchObject(tooLarge(`^${field}$`));
      const long = ["ok", "x".repeat(65_537)];
      expect(await platform.admin.post(path, { name: "a", [field]: long })).toMatchObject(
        tooLarge(`^${field}\\[1\\]$`),
      );
    }
  });

  it("removes duplicates from lists before it counts them", async () => {
    const bundles = Array.from({ length: 3_000 }, (_, n) => `bundle-${n % 3}`);
    const created = await platform.admin.ok("POST", `/registry/v2beta1/repos/${team}`, { name: "a", bundles });
    expect(created["bundles"]).toEqual(["bundle-0", "bundle-1", "bundle-2"]);
    const { uid } = created;
    const query = Array.from({ length: 100 }, () => `uidp.ids=${uid}`).join("&");
    expect(await platform.admin.ok("GET", `/registry/v2beta1/repos?${query}`)).toMatchObject({ totalCount: "1" });
  });

  it("refuses more than 1,000 values in a filter, naming the filter", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const bearer = { headers: { authorization: `Bearer ${platform.admin.token}` } };
    const groups = createClient(GroupsService, transport);
    await expect(groups.listGroups({ uidp: { ids: uids(1_000) } }, bearer)).resolves.toMatchObject({ groups: [] });
    await expect(groups.listGroups({ uidp: { ids: uids(1_001) } }, bearer)).rejects.toMatchObject({
      code: 3,
      rawMessage: expect.stringContaining("uidp.ids: must have at most 1000 different items"),
    });
    const advisories = createClient(AdvisoriesService, transport);
    await expect(advisories.listAdvisories({ advisoryIds: uids(1_001) }, bearer)).rejects.toMatchObject({
      code: 3,
      rawMessage: expect.stringContaining("advisory_ids: must have at most 1000 different items"),
    });
  });

  it("publishes the limit of each field in the OpenAPI document", async () => {
    const document = (await platform.as(undefined).ok("GET", "/openapi.json")) as unknown as OpenApiDocument;
    const properties = (name: string) => document.components.schemas[name]?.properties ?? {};
    expect(properties("iam.v2beta1.Identity.ClaimMatch")).toMatchObject({
      claims: {
        maxProperties: sizeLimits.map.value,
        propertyNames: { maxLength: sizeLimits.mapKey.value },
        additionalProperties: { maxLength: sizeLimits.text.value },
      },
      audience: { maxLength: sizeLimits.text.value },
    });
    expect(properties("registry.v2beta1.Repo")["bundles"]).toMatchObject({
      maxItems: sizeLimits.list.value,
      items: { maxLength: sizeLimits.text.value },
    });
    expect(properties("iam.v2beta1.Identity.StaticKeys")["audiences"]).toMatchObject({ maxItems: 1 });
    expect(properties("oidc.ExchangeRequest")["scopes"]).toMatchObject({ maxItems: sizeLimits.scopes.value });
    // The lists of responses are as long as what they list.
    expect(properties("iam.GroupList")["items"]).not.toHaveProperty("maxItems");
    const parameters = document.paths["/iam/v2beta1/groups"]?.["get"]?.parameters ?? [];
    expect(parameters.find(({ name }) => name === "uidp.ids")?.schema).toMatchObject({
      maxItems: sizeLimits.list.value,
    });
  });
});
