import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
describe("sizes of requests", () => {
  it("refuses JSON of many values before it is parsed", async () => {
    const path = `/iam/v2beta1/groups/${team}`;
    const nested = (levels: number) => `{"name":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(await platform.admin.post(path, nested(30_000))).toMatchObject(tooLarge("^body$"));
    expect(await platform.admin.post(path, nested(1_000))).toMatchObject({ status: 400, body: { code: 3 } });
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
