import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ApiDocument, type Operation, type Schema } from "./api-document.ts";
import { PlatformUnderTest } from "./platform-under-test.ts";

/** A request whose validity by the document is known. */
interface Probe {
  readonly what: string;
  readonly query: string;
  readonly body: unknown;
  readonly isValid: boolean;
}

/** Refusals for reasons that a schema cannot give: a value does not exist or parse, or depends on another one. */
const beyondSchemas = new RegExp(
  [
    "must be (a uid|the uid|an https URL)",
    // Of masks and of maps.
    "unknown (path|key)",
    "cannot be changed",
    // In a batch, either the batch or its request has the role.
    "Invalid argument: roleUid: is required",
    "one of clientSecret and pkceEnabled",
    "regular expression|JWKS|is not a page token",
  ].join("|"),
);

/** What the platform takes although the document does not offer it: each is ignored, or stands for nothing. */
const tolerated: readonly RegExp[] = [
  // null next to another member of a oneof.
  /^IdentitiesService_\w+: (claimMatch|staticKeys|awsIdentity\.\w+Pattern) = null$/,
  // The path has the uid; an empty one is absent.
  /^(IdentityTokensService_RevokeTokens: uid|Groups_Update: id) = (null|"")$/,
  /^RoleBindingsService_BatchCreateRoleBindings: (parent|roleUid) = ""$/,
  // A client that creates a copy of a group sends its id.
  /^Groups_Create: id = /,
];

/** Values of every JSON type and of no use, and texts that break a rule. */
const odd: readonly unknown[] = [
  null,
  "",
  "\0",
  "x",
  0,
  1,
  -1,
  1.5,
  true,
  [],
  {},
  ["x"],
  { x: 1 },
  "2026-01-01T00:00:00Z",
];

it("the document and the platform agree on every operation about which requests are valid", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-verdicts-"));
  const platform = await PlatformUnderTest.start(["--data", join(folder, "data")], folder);
  try {
    const { url, adminToken } = platform;
    const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
    const call = async (method: string, path: string, body?: unknown) => {
      const text = body === undefined ? null : JSON.stringify(body);
      const response = await fetch(url + path, { method, headers, body: text });
      return { status: response.status, text: await response.text() };
    };
    const document = new ApiDocument(await (await fetch(`${url}/openapi.json`)).json());
    const root = await firstUid(call, "/iam/v2beta1/groups", "groups");
    const role = await firstUid(call, "/iam/v2beta1/roles?name=viewer", "roles");
    const uids: Record<string, string> = {};
    const uidFor = async (operation: Operation): Promise<string> => {
      if (operation.method === "POST" && !operation.path.includes(":"))
        return operation.path.includes("/tags/")
          ? (uids["tags"] ??= await made("/registry/v2beta1/repos", { name: "r" }))
          : made("/iam/v2beta1/groups", { name: "g" });
      const collection = /^(.*)\/\{uid\}/.exec(operation.path)?.[1] ?? "";
      return (uids[collection] ??= await made(
        collection.replace("/v1/", "/v2beta1/"),
        bodies(root, role, "")[collection.split("/").at(-1) ?? ""] ?? { name: "n" },
      ));
    };
    const made = async (collection: string, body: unknown): Promise<string> => {
      const parent = collection.endsWith("/tags") ? await made("/registry/v2beta1/repos", { name: "r" }) : root;
      const given = {
        ...(body as object),
        ...(collection.endsWith("roleBindings")
          ? { identityUid: await made("/iam/v2beta1/identities", bodies(root, role, "")["identities"]) }
          : {}),
      };
      const { status, text } = await call("POST", `${collection}/${parent}`, given);
      if (status !== 200) throw new Error(`${collection}: ${text}`);
      return (JSON.parse(text) as { uid: string }).uid;
    };
    const identity = await made("/iam/v2beta1/identities", bodies(root, role, "")["identities"]);
    const contradictions: string[] = [];
    let probes = 0;
    for (const operation of document.operations) {
      if (operation.path.startsWith("/sts/") || operation.method === "DELETE") continue;
      for (const { what, query, body, isValid } of probesOf(document, operation, bodies(root, role, identity))) {
        const path = operation.path.replace("{uid}", operation.path.includes("{uid}") ? await uidFor(operation) : "");
        const { status, text } = await call(operation.method, path + query, body);
        probes += 1;
        const isRefused = status === 400 && (JSON.parse(text) as { code: number }).code === 3;
        if (isRefused !== isValid) continue;
        if (isRefused ? beyondSchemas.test(text) : tolerated.some((one) => one.test(`${operation.id}: ${what}`)))
          continue;
        contradictions.push(
          `${operation.id}: ${what}: ${isValid ? "valid" : "invalid"}, but ${status} ${text.slice(0, 160)}`,
        );
      }
    }
    expect(contradictions).toEqual([]);
    expect(probes).toBeGreaterThan(1_000);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
});

type Call = (method: string, path: string) => Promise<{ readonly text: string }>;

async function firstUid(call: Call, path: string, name: string): Promise<string> {
  const { text } = await call("GET", path);
  return (JSON.parse(text) as Readonly<Record<string, readonly { uid: string }[]>>)[name]?.[0]?.uid ?? "";
}

/** A valid body of each collection. */
function bodies(
  group: string,
  role: string,
  identityUid: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const text = { name: "n", description: "d" };
  const issuer = "https://issuer.example.com";
  return {
    groups: { ...text },
    identities: { ...text, awsIdentity: { awsAccount: "123456789012", arn: "a", userId: "u" } },
    roles: { ...text, capabilities: ["CAP_IAM_GROUPS_LIST"] },
    roleBindings: { identityUid, roleUid: role },
    identityProviders: { ...text, defaultRole: role, oidc: { issuer, clientId: "c", pkceEnabled: true } },
    accountAssociations: { ...text, amazon: { account: "123456789012" } },
    groupInvites: { roleUid: role, ttl: "60s", email: "a@b" },
    groupInvitesPatch: { email: "a@b", singleUse: true },
    repos: { ...text, catalogTier: "CATALOG_TIER_BASE", bundles: ["b"] },
    tags: { name: "t", digest: "sha256:0" },
    "roleBindings:batchCreate": { parent: group, roleUid: role, requests: [{ roleBinding: { identityUid } }] },
  };
}

/** Requests that differ in one place from one that is valid. */
function* probesOf(document: ApiDocument, operation: Operation, valid: ReturnType<typeof bodies>): Generator<Probe> {
  const collection = operation.path.replace("/{uid}", "").split("/").at(-1) ?? "";
  const key = operation.method === "PATCH" && collection === "groupInvites" ? "groupInvitesPatch" : collection;
  const body = operation.body === undefined ? undefined : (valid[key] ?? {});
  const required = operation.query.filter((parameter) => parameter.required === true);
  for (const { name, schema } of operation.query) {
    const others = required.filter((other) => other.name !== name).map((other) => `&${other.name}=x`);
    const violationsOf = document.violationsOf(schema);
    for (const text of [
      "",
      "x",
      "0",
      "1",
      "-1",
      "true",
      "2026-01-01T00:00:00Z",
      ...enumOf(document, schema).map(String),
    ])
      yield {
        what: `?${name}=${text}`,
        query: `?${name}=${encodeURIComponent(text)}${others.join("")}`,
        body,
        isValid: readings(text).some((value) => violationsOf(isList(schema) ? [value] : value).length === 0),
      };
  }
  if (operation.body === undefined) return;
  const violationsOf = document.violationsOf(operation.body);
  for (const [what, changed] of changesOf(document, operation.body, body, ""))
    yield { what, query: "", body: changed, isValid: violationsOf(changed).length === 0 };
}

const isList = ({ type }: Schema) => type === "array";

function enumOf(document: ApiDocument, schema: Schema): readonly unknown[] {
  return document.resolve(schema).enum ?? schema.items?.enum ?? [];
}

/** What the text of a parameter stands for. */
function readings(text: string): unknown[] {
  const values: unknown[] = [text];
  if (/^-?\d+$/.test(text)) values.push(Number(text));
  if (text === "true" || text === "false") values.push(text === "true");
  return values;
}

/** The body, each time with one member that is odd, missing, given by number or unknown. */
function* changesOf(document: ApiDocument, given: Schema, value: unknown, at: string): Generator<[string, unknown]> {
  const schema = document.resolve(given);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const object = value as Readonly<Record<string, unknown>>;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.readOnly === true) continue;
    const { [name]: inner, ...others } = object;
    if (inner !== undefined) yield [`without ${at}${name}`, others];
    for (const one of [...odd, ...enumOf(document, property)])
      yield [`${at}${name} = ${JSON.stringify(one)}`, { ...others, [name]: one }];
    for (const [what, changed] of changesOf(document, property, inner, `${at}${name}.`))
      yield [what, { ...others, [name]: changed }];
  }
  yield [`unknown member of ${at}`, { ...object, unknown: 1 }];
}
