import {
  type DescField,
  type DescMessage,
  type DescMethod,
  equals,
  fromJson,
  getOption,
  hasOption,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { behaviorOf } from "../contract/field-behavior.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import { GroupSchema as V1GroupSchema } from "../gen/muster/platform/iam/groups_pb.ts";
import { SecurityTokenService } from "../gen/muster/platform/oidc/security_token_service_pb.ts";
import { servicesOf } from "../services.ts";
import { collectionPath, contractServices, innerOf, pathsIn, settable } from "./contract-fields.testing.ts";
import { loadInto } from "./load-into.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

// The services, methods and fields come from the contract: what it gets later fails here until a body has it and the platform keeps it.

const services = await contractServices();
const methods = services.flatMap((service) => service.methods);

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

it("serves every service of the contract, and every method over REST, too", () => {
  const implemented = servicesOf({} as never, {} as never).map(({ desc }) => desc.typeName);
  expect([...implemented, SecurityTokenService.typeName].toSorted()).toEqual(
    services.map(({ typeName }) => typeName).toSorted(),
  );
  expect(methods.filter((method) => !hasOption(method, http)).map(({ name }) => name)).toEqual([]);
});

const name = "everything";
const text = { name, description: "a description" };
const subject = { issuer: "https://issuer.example.com", subject: "ci" };
const inADay = new Date(Date.now() + 86_400_000).toISOString();
const issuerKeys = JSON.stringify({
  keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
});

/** Bodies for the Create of each resource, by its name. Together, they have every field that a client can set. */
const bodies: Readonly<Record<string, (uids: { role: string; identity: string }) => readonly JsonObject[]>> = {
  Group: () => [{ ...text, resourceLimits: { groups: 5 }, verified: true }],
  Identity: () => [
    { ...text, claimMatch: { ...subject, audience: "a", claims: { team: "a" }, claimPatterns: { ref: "main" } } },
    { name, claimMatch: { issuerPattern: "https://.*", subjectPattern: "a.*", audiencePattern: "b.*" } },
    { name, staticKeys: { ...subject, issuerKeys, expirationTime: inADay, audiences: ["a"] } },
    { name, awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:iam::1:role/ci", userId: "AROA" } },
    { name, awsIdentity: { awsAccount: "123456789012", arnPattern: ".*/ci", userIdPattern: "A.*" } },
  ],
  Role: () => [{ ...text, capabilities: ["CAP_REPO_LIST"] }],
  RoleBinding: ({ role, identity }) => [{ roleUid: role, identityUid: identity }],
  IdentityProvider: ({ role }) => [
    {
      ...text,
      defaultRole: role,
      oidc: {
        issuer: "https://login.example.com",
        clientId: "muster",
        clientSecret: "secret",
        additionalScopes: ["groups"],
        groupsClaim: "groups",
        pkceEnabled: true,
      },
    },
  ],
  AccountAssociation: () => [
    {
      ...text,
      amazon: { account: "123456789012" },
      google: { projectId: "shop", projectNumber: "42" },
      azure: { tenantId: "shop", clientIds: { ci: "1" } },
      github: { appInstallations: { 7: { installations: [{ installationId: "9", name: "shop" }] } } },
    },
  ],
  GroupInvite: ({ role }) => [{ roleUid: role, email: "ada@example.com", ttl: "600s", singleUse: true }],
  Repo: () => [{ ...text, catalogTier: "CATALOG_TIER_BASE", bundles: ["b"], aliases: ["a"], activeTags: ["latest"] }],
  Tag: () => [{ name, digest: `sha256:${"a".repeat(64)}`, deprecated: true, bundles: ["b"] }],
};

/** The methods that create a resource: its fields are the body. */
const creating = methods.filter((method) => {
  const { body } = getOption(method, http);
  return (
    isV2(method) &&
    method.input.fields.some(
      (field) => field.name === body && field.message === method.output && method.name.startsWith("Create"),
    )
  );
});

function isV2({ parent }: DescMethod): boolean {
  return /\.v\d/.test(parent.typeName);
}

describe.each(creating.map((method) => ({ resource: method.output.name, method })))(
  "$resource",
  ({ resource, method }) => {
    const desc = method.output;
    const path = collectionPath(method);
    const bodiesIn = async () => {
      const group = await platform.admin.group(platform.root);
      const uids = { role: await platform.admin.role("viewer"), identity: await platform.admin.identity(group) };
      const repo = await platform.admin.ok("POST", `/registry/v2beta1/repos/${group}`, { name: "repo" });
      const parent = resource === "Tag" ? repo.uid : group;
      return { parent, all: bodies[resource]?.(uids) ?? [] };
    };

    it("has a body with each field here", async () => {
      const { all } = await bodiesIn();
      const given = new Set(all.flatMap((body) => [...pathsIn(desc, body)]));
      expect([...settable(desc)].filter((field) => !given.has(field))).toEqual([]);
    });

    it("is created, read and updated with all of its fields, over REST and gRPC", async () => {
      const { parent, all } = await bodiesIn();
      for (const body of all) {
        const expected = returned(desc, body);
        const { uid } = await platform.admin.ok("POST", `${path}/${parent}`, body);
        const read = await platform.admin.ok("GET", `${path}/${uid}`);
        expect(read).toMatchObject(expected);
        const client = createClient(
          method.parent,
          createGrpcTransport({ baseUrl: platform.url }),
        ) as unknown as Readonly<Record<string, (request: object, options: object) => Promise<never>>>;
        const options = { headers: { authorization: `Bearer ${platform.admin.token}` } };
        const overGrpc = await client[`get${resource}`]?.({ uid }, options);
        expect(equals(desc, overGrpc as never, fromJson(desc, read as never))).toBe(true);
        if (!method.parent.methods.some((other) => other.name === `Update${resource}`)) continue;
        expect(await platform.admin.ok("PATCH", `${path}/${uid}`, {})).toMatchObject(expected);
        expect(await platform.admin.ok("GET", `${path}/${uid}`)).toMatchObject(expected);
      }
    });
  },
);

it("a replacement over v1 sets every field of v1, and leaves the others as they are", async () => {
  const body: JsonObject = bodies["Group"]?.({ role: "", identity: "" })[0] ?? {};
  const inV1 = V1GroupSchema.fields.map(({ jsonName }) => jsonName).filter((field) => field !== "id");
  const replacement = Object.fromEntries(inV1.map((field) => [field, body[field]]));
  expect(Object.entries(replacement).filter(([, value]) => value === undefined)).toEqual([]);

  const full = await platform.admin.ok("POST", `/iam/v2beta1/groups/${platform.root}`, body);
  await platform.admin.ok("PUT", `/iam/v1/groups/${full.uid}`, { ...replacement, description: "changed" });
  const replaced = await platform.admin.ok("GET", `/iam/v2beta1/groups/${full.uid}`);
  expect(replaced).toMatchObject({ ...body, description: "changed" });

  const empty = await platform.admin.group(platform.root);
  const set = await platform.admin.ok("PUT", `/iam/v1/groups/${empty}`, replacement);
  expect(set).toMatchObject(replacement);
});

/** What every List has besides its filters. */
const paging = new Set(["uidp", "page_size", "page_token", "order_by", "skip"]);
/** A filter that is a flag widens the list: which of its rows that concerns, no schema says. */
const filters = methods
  .filter((method) => method.name.startsWith("List") && isV2(method))
  .flatMap((method) =>
    method.input.fields
      .filter(({ name: field, scalar }) => !paging.has(field) && scalar !== ScalarType.BOOL)
      .map((field) => ({ filter: `${method.name} ${field.name}`, method, field })),
  );

describe("a filter of a List", () => {
  beforeAll(async () => {
    const events = [{ createTime: "2026-01-08T09:30:00Z", fixed: { fixedVersion: "2" } }];
    const advisory = { advisoryId: "SHOP-2026-0001", artifactName: "shop", componentName: "axios", events };
    await loadInto(platform, [{ kind: "Advisory", ...advisory }]);
  });

  it.each(filters)("is applied, or refused: $filter", async ({ method, field }) => {
    const path = collectionPath(method);
    const sizeOf = async (query: string) => {
      const { status, body } = await platform.admin.get(`${path}?page_size=200${query}`);
      if (status !== 200) return -1;
      return Object.values(body).find((value) => Array.isArray(value))?.length ?? 0;
    };
    const all = await sizeOf("");
    expect(all).toBeGreaterThan(0);
    expect(await sizeOf(`&${field.name}=${encodeURIComponent(valueWithoutMatch(field))}`)).toBeLessThan(all);
  });
});

function valueWithoutMatch({ enum: values, message, scalar }: DescField): string {
  if (values !== undefined) return values.values.at(-1)?.name ?? "";
  if (message !== undefined) return "2999-01-01T00:00:00Z";
  return scalar === ScalarType.INT32 ? "13" : "nothing has this";
}

/** What the platform returns of a body. */
function returned(desc: DescMessage, body: JsonObject): JsonObject {
  return Object.fromEntries(
    desc.fields.flatMap((field) => {
      const value = body[field.jsonName];
      if (value === undefined || behaviorOf(field).writeOnly) return [];
      const isMessage = field.fieldKind === "message" && innerOf(field) !== undefined;
      return [[field.jsonName, isMessage ? returned(field.message, value as JsonObject) : value]];
    }),
  );
}
