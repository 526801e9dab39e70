import { Validator } from "@cfworker/json-schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operationsOf } from "../service/operations.ts";
import type { OpenApiDocument, OpenApiOperation, Schema } from "../openapi/schema.ts";
import { textRuleOf } from "../contract/field-rules.ts";
import { openApiDocument } from "../openapi/document.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { implement } from "../service/service.ts";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { SecurityTokenService } from "../gen/muster/platform/oidc/security_token_service_pb.ts";
import { implementAnonymous } from "../service/service.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let document: OpenApiDocument;
let operations: { method: string; path: string; operation: OpenApiOperation }[];
beforeAll(async () => {
  platform = await RunningPlatform.start();
  document = (await platform.as(undefined).ok("GET", "/openapi.json")) as unknown as OpenApiDocument;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
});
afterAll(() => platform.stop());

/** The deviations of a value from a schema of the document, each with its path. */
function deviations(value: unknown, schema: Schema, at = ""): string[] {
  const { $ref, anyOf, properties = {}, additionalProperties, items, enum: values, pattern } = schema;
  if ($ref !== undefined) return deviations(value, referenced($ref), at);
  if (anyOf !== undefined) return deviations(value, anyOf[0], at);
  const type = typeof schema.type === "object" ? schema.type[0] : schema.type;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const fits =
    type === "array" ? Array.isArray(value) : type === "object" ? isObject : typeof value === jsonTypes[type ?? ""];
  if (type !== undefined && !fits) return [`${at} is not of the type ${type}`];
  if (values !== undefined && !values.includes(value as string)) return [`${at} is not one of ${values.join(", ")}`];
  if (pattern !== undefined && !new RegExp(pattern, "u").test(String(value)))
    return [`${at} does not match ${pattern}`];
  if (Array.isArray(value)) return value.flatMap((item, index) => deviations(item, items ?? {}, `${at}[${index}]`));
  if (!isObject) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = properties[name] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
    if (known !== undefined) return deviations(inner, known, `${at}.${name}`);
    return additionalProperties === false ? [`${at}.${name} is not in the schema`] : [];
  });
}

const uidPattern = "^[0-9a-f]{40}(\\/[0-9a-f]{16})*$";
/** These fields have a pattern, but are not text fields of the contract. */
const notText = new Set(["iam.v2beta1.GroupInvite.ttl"]);

/** The body, each time with one invalid text: one for each text whose schema has a pattern, except uids. */
function* brokenByRule(
  value: unknown,
  schema: Schema,
  at: string,
  rule = "",
): Generator<{ readonly field: string; readonly broken: unknown; readonly rule: string }> {
  const { $ref, anyOf, pattern, items, properties, additionalProperties } = schema;
  if (anyOf !== undefined) yield* brokenByRule(value, anyOf[0], at, rule);
  else if ($ref !== undefined)
    yield* brokenByRule(value, referenced($ref), at, $ref.replace("#/components/schemas/", ""));
  else if (typeof value === "string" && pattern !== undefined && pattern !== uidPattern)
    yield* ["\0", "\n\0"]
      .filter((text) => !new RegExp(pattern, "u").test(text))
      .slice(0, 1)
      .map((broken) => ({ field: at, broken, rule }));
  else if (Array.isArray(value))
    for (const one of brokenByRule(value[0], items ?? {}, at, rule)) yield { ...one, broken: [one.broken] };
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      const property = properties?.[name];
      const known = property ?? (typeof additionalProperties === "object" ? additionalProperties : {});
      const inside = property === undefined ? rule : `${rule}.${name}`;
      for (const one of brokenByRule(inner, known, at === "" ? name : `${at}.${name}`, inside))
        yield { ...one, broken: { ...value, [name]: one.broken } };
    }
}

const jsonTypes: Readonly<Record<string, string>> = { string: "string", integer: "number", boolean: "boolean" };

function referenced(reference: string): Schema {
  const found = document.components.schemas[reference.replace("#/components/schemas/", "")];
  if (found === undefined) throw new Error(`${reference} is not in the document`);
  return found;
}

function responseSchema(path: string, method: string): Schema {
  const response = document.paths[path]?.[method]?.responses["200"];
  return (response !== undefined && "content" in response && response.content?.["application/json"]?.schema) || {};
}

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1: references resolve, operation ids are unique, path variables are parameters", () => {
    expect(document.openapi).toBe("3.1.0");
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"(#\/components\/schemas\/[^"]*)"/g))
      expect(referenced(reference ?? "")).toBeDefined();
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => `{${name}}`);
      expect(inPath).toEqual(path.match(/\{[^}]*\}/g) ?? []);
      expect(operation.parameters.every(({ in: where, required }) => where === "query" || required)).toBe(true);
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
    }
  });

  it("lists only paths and methods that the platform serves", async () => {
    expect(operations.length).toBeGreaterThan(50);
    for (const { method, path } of operations) {
      const { body } = await platform.admin.send(method.toUpperCase(), path.replace("{uid}", "nonsense"));
      expect(body === undefined ? "" : String(body["message"]), `${method} ${path}`).not.toMatch(
        /Not found: path|not a method of this path/,
      );
    }
  });

  it("describes parameters, bodies and required fields", () => {
    const list = document.paths["/iam/v2beta1/groups"]?.["get"];
    expect(list?.parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "uidp.descendants_of",
        "uidp.children_of",
        "page_size",
        "page_token",
        "order_by",
        "skip",
      ]),
    );
    const groups = document.paths["/iam/v2beta1/groups/{uid}"];
    expect(groups?.["post"]?.requestBody?.content["application/json"]?.schema).toMatchObject({ required: ["name"] });
    const identities = document.paths["/iam/v2beta1/identities/{uid}"];
    expect(identities?.["post"]?.requestBody?.content["application/json"]?.schema).toMatchObject({
      properties: { staticKeys: { required: ["issuer", "subject", "issuerKeys"] } },
    });
    // An update can omit required fields.
    expect(identities?.["patch"]?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/iam.v2beta1.Identity",
    });
    expect(groups?.["patch"]?.parameters.map(({ name }) => name)).toContain("updateMask");
    expect(document.components.schemas["iam.v2beta1.Group"]?.properties).toMatchObject({
      uid: { type: "string", readOnly: true },
      createTime: { type: "string", format: "date-time", readOnly: true },
      resourceLimits: { additionalProperties: { type: "integer" } },
    });
    expect(document.components.schemas["iam.v2beta1.GroupInvite"]?.properties?.["ttl"]).toMatchObject({
      writeOnly: true,
    });
    expect(document.paths["/sts/exchange"]?.["get"]?.security).toEqual([{ subjectToken: [] }]);
  });

  it("allows an empty filter, which the platform treats as none", async () => {
    const lists = operations.filter(({ method, path }) => method === "get" && !path.includes("{uid}"));
    let filters = 0;
    for (const { path, operation } of lists.filter((one) => !one.path.startsWith("/sts/")))
      for (const { name, schema, required } of operation.parameters) {
        if (schema.type !== "string" || schema.enum !== undefined || schema.format === "date-time") continue;
        const { status, text } = await platform.admin.get(`${path}?${name}=`);
        const allowed = !required && new RegExp(schema.pattern ?? "", "u").test("");
        expect(`${name} ${status}`, text).toBe(`${name} ${allowed ? 200 : 400}`);
        filters++;
      }
    expect(filters).toBeGreaterThan(50);
  });

  it("describes forms only where the platform accepts them, and bodies that may be missing", () => {
    const forms = operations.filter(
      ({ operation }) => operation.requestBody?.content["application/x-www-form-urlencoded"] !== undefined,
    );
    expect(forms.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["/sts/exchange", "/sts/exchange_refresh_token"]),
    );
    expect(forms.map(({ path }) => path)).not.toContain("/iam/v2beta1/roleBindings:batchCreate");
    const exchange = document.paths["/sts/exchange"]?.["post"];
    expect(exchange?.requestBody?.required).toBe(false);
    expect(exchange?.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(["aud", "identity"]));
    const required = document.paths["/sts/exchange"]?.["get"]?.parameters.filter((one) => one.required);
    expect(required?.map(({ name }) => name)).toEqual(["aud", "identity"]);
  });

  it("requires the members that the platform requires, and allows null where the platform does", async () => {
    const [issuer, roleUid] = ["https://issuer.example.com", await platform.admin.role("viewer")];
    const identityUid = await platform.admin.identity(platform.root);
    const key = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
    const text = { name: "n", description: "d" };
    const oidc = { issuer, clientId: "c", clientSecret: "s", pkceEnabled: true, additionalScopes: ["s"] };
    const bodies: [path: string, body: Record<string, unknown>][] = [
      ["/iam/v2beta1/groups", { ...text, verified: true }],
      ["/iam/v2beta1/identities", { ...text, claimMatch: { issuer, subject: "s", audience: "a", claims: { a: "b" } } }],
      [
        "/iam/v2beta1/identities",
        {
          ...text,
          staticKeys: { issuer, subject: "s", issuerKeys: JSON.stringify({ keys: [key] }), audiences: ["a"] },
        },
      ],
      ["/iam/v2beta1/identities", { ...text, awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" } }],
      ["/iam/v2beta1/roles", { ...text, capabilities: ["CAP_IAM_GROUPS_LIST"] }],
      ["/iam/v2beta1/roleBindings", { identityUid, roleUid }],
      ["/iam/v2beta1/identityProviders", { ...text, defaultRole: roleUid, oidc }],
      ["/iam/v2beta1/groupInvites", { roleUid, ttl: "60s", email: "a@b", singleUse: true }],
      ["/registry/v2beta1/repos", { ...text, catalogTier: "CATALOG_TIER_BASE", bundles: ["b"] }],
    ];
    const compared = async (path: string, given: unknown) => {
      // A member that is undefined is not there.
      const body: unknown = JSON.parse(JSON.stringify(given));
      const { schema } = document.paths[`${path}/{uid}`]?.["post"]?.requestBody?.content["application/json"] ?? {};
      const { components } = document;
      const { valid } = new Validator({ ...schema, components } as never, "2020-12").validate(body);
      const { status, text: response } = await platform.admin.post(`${path}/${platform.root}`, body);
      expect(`${path} ${JSON.stringify(body)} ${status}`, response).toBe(
        `${path} ${JSON.stringify(body)} ${valid ? 200 : 400}`,
      );
    };
    for (const [path, body] of bodies) {
      await compared(path, body);
      for (const name of Object.keys(body))
        for (const value of [undefined, null]) await compared(path, { ...body, [name]: value });
      for (const [name, inner] of Object.entries(body))
        if (typeof inner === "object" && inner !== null && !Array.isArray(inner))
          // The contract makes audiences optional.
          for (const member of Object.keys(inner).filter((one) => one !== "audiences"))
            for (const value of [undefined, null])
              await compared(path, { ...body, [name]: { ...inner, [member]: value } });
    }
  });

  it("describes the responses exactly", async () => {
    const roleUid = await platform.admin.role("viewer");
    const identityUid = await platform.admin.identity(platform.root);
    const created = await platform.admin.ok("POST", `/iam/v2beta1/roleBindings/${platform.root}`, {
      identityUid,
      roleUid,
    });
    expect(deviations(created, responseSchema("/iam/v2beta1/roleBindings/{uid}", "post"))).toEqual([]);
    for (const path of ["groups", "identities", "roles", "roleBindings"].map((name) => `/iam/v2beta1/${name}`)) {
      const response = await platform.admin.ok("GET", path);
      expect(deviations(response, responseSchema(path, "get")), path).toEqual([]);
      expect(deviations({ ...response, more: 1 }, responseSchema(path, "get"))).toEqual([".more is not in the schema"]);
    }
    const error = await platform.admin.get("/iam/v2beta1/groups/nonsense");
    expect(deviations(error.body, referenced("#/components/schemas/Error"))).toEqual([]);
  });

  it("describes every text rule: a text that breaks one is rejected with a violation of its field", async () => {
    const [issuer, roleUid] = ["https://issuer.example.com", await platform.admin.role("viewer")];
    const text = { name: "n", description: "d" };
    const key = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
    const claims = { issuer, subject: "s", audience: "a", claimPatterns: { a: "b" } };
    const patterns = { issuerPattern: "i", subjectPattern: "s", audiencePattern: "a" };
    const keys = { issuer, subject: "s", issuerKeys: JSON.stringify({ keys: [key] }), audiences: ["a"] };
    const aws = { awsAccount: "123456789012", arn: "a", userId: "u" };
    const awsPatterns = { awsAccount: "123456789012", arnPattern: "a", userIdPattern: "u" };
    const oidc = { issuer, clientId: "c", pkceEnabled: true, additionalScopes: ["s"] };
    const accounts = {
      amazon: { account: "123456789012" },
      google: { projectId: "p", projectNumber: "1" },
      azure: { tenantId: "t" },
    };
    const repo = (await platform.admin.ok("POST", `/registry/v2beta1/repos/${platform.root}`, text)).uid;
    const valid: [path: string, parent: string, body: Record<string, unknown>][] = [
      ["/iam/v2beta1/groups", platform.root, text],
      ["/iam/v2beta1/identities", platform.root, { ...text, claimMatch: claims }],
      ["/iam/v2beta1/identities", platform.root, { ...text, claimMatch: patterns }],
      ["/iam/v2beta1/identities", platform.root, { ...text, staticKeys: keys }],
      ["/iam/v2beta1/identities", platform.root, { ...text, awsIdentity: aws }],
      ["/iam/v2beta1/identities", platform.root, { ...text, awsIdentity: awsPatterns }],
      ["/iam/v2beta1/roles", platform.root, { ...text, capabilities: ["CAP_IAM_GROUPS_LIST"] }],
      ["/iam/v2beta1/identityProviders", platform.root, { ...text, defaultRole: roleUid, oidc }],
      ["/iam/v2beta1/accountAssociations", platform.root, { ...text, ...accounts }],
      ["/iam/v2beta1/groupInvites", platform.root, { roleUid, ttl: "60s", email: "a@b" }],
      ["/registry/v2beta1/repos", platform.root, text],
      ["/registry/v2beta1/tags", repo, { name: "t", digest: "sha256:0" }],
    ];
    const tested = new Set<string>();
    for (const [path, parent, body] of valid) {
      const schema = document.paths[`${path}/{uid}`]?.["post"]?.requestBody?.content["application/json"]?.schema ?? {};
      expect(deviations(body, schema), path).toEqual([]);
      for (const { field, broken, rule } of brokenByRule(body, schema, "")) {
        tested.add(rule);
        expect(deviations(broken, schema), field).toHaveLength(1);
        const { status, body: error } = await platform.admin.post(`${path}/${parent}`, broken);
        expect(`${status} ${String(error["message"])}`, field).toContain(`400 Invalid argument: ${field}`);
      }
      await platform.admin.ok("POST", `${path}/${parent}`, body);
    }
    // Every rule was tested, except those of uids in responses and of v1, which has the same ones.
    const described = Object.entries(document.components.schemas)
      .filter(([name]) => name.includes(".v2beta1.") && !/List|Request/.test(name))
      .flatMap(([name, { properties = {} }]) =>
        Object.entries(properties)
          .filter(([, one]) => JSON.stringify(one).includes('"pattern"') && one.readOnly === undefined)
          .filter(([, one]) => one.pattern !== uidPattern && one.format !== "int64")
          .map(([property]) => `${name}.${property}`),
      );
    expect([...tested].toSorted()).toEqual(expect.arrayContaining(described.filter((rule) => !notText.has(rule))));
    expect(textRuleOf(GroupSchema.field["name"] as never)?.pattern.source).toBe("^[a-z0-9 ._-]{1,}$");
  });

  it("has the token service's address if it differs", () => {
    const mounted = operationsOf(
      [implement(GroupsService, {} as never), implementAnonymous(SecurityTokenService, {} as never)],
      undefined as never,
      undefined,
    );
    const { paths, servers } = openApiDocument(mounted, { baseUrl: "https://a", authUrl: "https://b" });
    expect(servers).toEqual([{ url: "https://a" }]);
    expect(paths["/sts/exchange"]?.["post"]?.servers).toEqual([{ url: "https://b" }]);
    expect(paths["/iam/v2beta1/groups"]?.["get"]?.servers).toBeUndefined();
  });
});

describe("the page of the API", () => {
  it("describes every method and message, and loads nothing from other hosts", async () => {
    const { status, headers, text } = await platform.as(undefined).get("/docs");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const { operation } of operations) expect(text).toContain(`id="${operation.operationId}"`);
    for (const name of Object.keys(document.components.schemas)) expect(text).toContain(`id="schema-${name}"`);
    expect(text).not.toMatch(/<script|<link|<img|src=|@import|url\(/);
    const targets = [...text.matchAll(/href="#([^"]*)"/g)].map(([, target]) => target);
    expect(targets.filter((target) => !text.includes(`id="${target}"`))).toEqual([]);
  });
});
