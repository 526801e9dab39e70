import type { ApiDocument, Operation, Parameter, Schema } from "./api-document.ts";
import type { Callers } from "./callers.ts";
import { flipped } from "./mutate-json.ts";
import type { Pool } from "./pool.ts";
import type { Random } from "./random.ts";
import { type Hints, valueOfSchema } from "./value-of-schema.ts";

/** A valid request of the API in parts, each of which can be mutated. */
export interface RestRequest {
  readonly operation: Operation;
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
}

/** The sources of requests: the OpenAPI document, earlier responses, and credentials. */
export interface RequestSources {
  readonly document: ApiDocument;
  readonly pool: Pool;
  readonly callers: Callers;
}

/** A valid request of a random operation, for existing resources. */
export function restRequest({ document, pool, callers }: RequestSources, random: Random): RestRequest {
  const operation = random.weighted(
    document.operations.map((candidate) => [weightOf(candidate, pool), candidate] as const),
  );
  const isExchange = operation.path.startsWith("/sts/");
  const assumed = callers.assumableIdentity(random);
  const hints = hintsOf(
    pool,
    isExchange ? { identity: assumed.uid, aud: callers.audience } : { parent: pool.uid("groups", random) ?? pool.home },
  );
  const collection = collectionOf(operation.path);
  const uid = uidFor(operation, collection, pool, random);
  const value = (schema: Schema, field: string) => valueOfSchema(document, schema, random, hints, field);
  const query = operation.query
    .filter(({ name }) => random.chance(name === "page_token" ? 0.2 : shareOf(name)))
    .flatMap((parameter) => queryOf(parameter, operation, pool, random, value));
  return {
    operation,
    method: operation.method,
    path: operation.path.replace("{uid}", uid),
    query,
    headers: [
      [
        "authorization",
        isExchange
          ? callers.subjectToken(operation.path.endsWith("_refresh_token"), assumed, random)
          : callers.bearer(random),
      ],
    ],
    body: operation.body === undefined ? undefined : value(operation.body, ""),
  };
}

/** The probability of a query parameter. Some methods do nothing without theirs. */
function shareOf(name: string): number {
  return ["identity", "aud", "issuer", "subject"].includes(name) ? 0.9 : 0.2;
}

/** `groups` of `/iam/v2beta1/groups/{uid}`. */
export function collectionOf(path: string): string {
  const name = path
    .replace(/\/\{uid\}$/, "")
    .replace(/^.*\//, "")
    .replace(/:.*$/, "");
  return name === "rolebindings" ? "roleBindings" : name;
}

/**
 * Creations are more frequent than deletions, until there are 250 resources: the tree must stay small enough to list.
 */
function weightOf({ method, path }: Operation, pool: Pool): number {
  const isFull = pool.count(collectionOf(path)) >= 250;
  if (method === "POST") return isFull ? 0.3 : 3;
  if (method === "DELETE") return isFull ? 3 : 0.7;
  return method === "GET" && !path.includes("{") ? 2 : 1.5;
}

function uidFor({ method }: Operation, collection: string, pool: Pool, random: Random): string {
  const wanted = method === "POST" ? (collection === "tags" ? "repos" : "groups") : collection;
  if (random.chance(0.05)) return pool.anyUid(random);
  if (method === "POST" && random.chance(0.2)) return pool.deepestUid(wanted) ?? pool.home;
  if (method === "DELETE" && random.chance(0.5)) return pool.newestUid(wanted) ?? pool.home;
  return pool.uid(wanted, random) ?? pool.home;
}

function queryOf(
  { name, schema }: Parameter,
  operation: Operation,
  pool: Pool,
  random: Random,
  value: (schema: Schema, field: string) => unknown,
): [string, string][] {
  const written = random.chance(0.5) ? name : otherSpelling(name);
  if (name === "updateMask") return [[written, maskOf(operation, random)]];
  if (name === "page_token") {
    const token = pool.pageToken(operation.path, random);
    if (token === undefined) return [];
    return [[written, random.chance(0.7) ? token : flipped(Buffer.from(token), random).toString("latin1")]];
  }
  const drawn = value(schema, name.replace(/^.*\./, ""));
  const values = Array.isArray(drawn) ? drawn : [drawn];
  return values.map((one): [string, string] => [written, String(one)]);
}

/** The other spelling of a parameter: `pageSize` for `page_size`, and the reverse. */
export function otherSpelling(name: string): string {
  return /[A-Z]/.test(name)
    ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    : name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function maskOf({ path }: Operation, random: Random): string {
  const known = maskPaths[collectionOf(path)] ?? ["name"];
  if (random.chance(0.1)) return "*";
  return Array.from({ length: random.int(1, 3) }, () => random.pick(known)).join(",");
}

/** Valid paths of update masks. */
const maskPaths: Readonly<Record<string, readonly string[]>> = {
  groups: ["name", "description", "verified"],
  identities: [
    "name",
    "description",
    "claimMatch",
    "claim_match.subject",
    "claimMatch.audiencePattern",
    "static_keys",
    "awsIdentity.arn",
  ],
  roles: ["name", "description", "capabilities"],
  roleBindings: ["identityUid", "role_uid"],
  identityProviders: ["name", "default_role", "oidc", "oidc.clientSecret", "oidc.pkce_enabled"],
  accountAssociations: ["name", "amazon", "google.projectId", "azure.clientIds", "github"],
  groupInvites: ["email", "singleUse"],
  repos: ["name", "description", "catalogTier", "bundles", "active_tags"],
};

const issuers = [
  "https://a.example.com",
  "https://b.example.com/x?y=z",
  "https://[2001:db8::1]:8443",
  "https://xn--bcher-kva.example",
];
const patterns = [
  "https://.*",
  "[a-z]+",
  "(a|b)*c?",
  "\\d{1,5}",
  ".*",
  "(?i)abc",
  "^x$",
  "\\pL+",
  "[[:alpha:]]{2,}",
  "a{1000}",
];

/**
 * Values for the text fields of requests.
 * @param known values of fields that the caller has chosen
 */
export function hintsOf(pool: Pool, known: Readonly<Record<string, string>>): Hints {
  const uidOf = (field: string, random: Random): string | undefined => {
    switch (field) {
      case "identityUid":
      case "identity":
        return pool.uid("identities", random);
      case "roleUid":
      case "defaultRole":
      case "role":
        return pool.uid("roles", random);
      case "parent":
      case "group":
      case "scope":
      case "scopes":
      case "children_of":
      case "descendants_of":
        return pool.uid("groups", random);
      default:
        return pool.anyUid(random);
    }
  };
  return {
    text: (field, { pattern, format }, random) => {
      if (known[field] !== undefined && random.chance(0.95)) return known[field];
      if (pattern?.startsWith("^https:") === true || field === "issuer") return random.pick(issuers);
      if (field === "subject") return random.pick(["a", "b", "c"]);
      if (pattern?.startsWith("^[0-9a-f]{40}") === true && random.chance(0.95)) return uidOf(field, random);
      // With few names, filters find resources.
      if (pattern?.includes("a-z0-9 ._-") === true && random.chance(0.7))
        return random.pick(["a", "b", "fuzz", "n-1", "n.2"]);
      if (format === "regex-re2") return random.pick(patterns);
      if (format === "jwks") return random.pick(jwksDocuments);
      if (field === "ttl") return `${random.pick([1, 60, 86_400, 31_536_000])}s`;
      if (field === "cap") return random.pick(["groups.list", "repo.create", "role_bindings.delete", "identity.list"]);
      if (field === "query") return random.pick(["cve", "a b", "100%", "ghsa-_"]);
      return undefined;
    },
  };
}

const jwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const jwksDocuments = [
  JSON.stringify({ keys: [jwk] }),
  JSON.stringify({
    keys: [
      { ...jwk, kid: "a" },
      { ...jwk, kid: "b" },
    ],
  }),
];
