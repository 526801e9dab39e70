import { createHash } from "node:crypto";
import * as z from "zod";
import type { Assumption, KnownIdentity, LoginGrant } from "#src/access/access-state.ts";
import { externalUid, type ResourceType } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import { shownPerson } from "#src/commands/output/person-text.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";

// What the commands read of the platform's resources. Texts are made visible here, once for every output.

const api = "iam/v2beta1";
const text = z.string().transform(visibleText);
const name = z.string().default("").transform(visibleText);
const texts = z.record(z.string(), z.string()).default({});

const group = z.object({ uid: externalUid, name });

/** A capability that the platform itself does not know is written as its number. */
const capability = z.union([z.string(), z.number()]).transform((value) => visibleText(String(value)));
const role = z.object({
  uid: externalUid,
  name,
  capabilities: z
    .array(capability)
    .default([])
    .transform((all): ReadonlySet<string> => new Set(all)),
  updateTime: text.exactOptional(),
});

const roleBinding = z.object({
  uid: externalUid,
  identity: z.object({ uid: externalUid, name }),
  role: z.object({ uid: externalUid, name }),
  createTime: text.exactOptional(),
});

const identityProvider = z
  .object({
    uid: externalUid,
    name,
    defaultRole: name,
    oidc: z.object({ issuer: name, clientId: name }).optional(),
  })
  .transform(
    ({ defaultRole, oidc: { issuer, clientId } = { issuer: "", clientId: "" }, ...rest }): LoginGrant => ({
      ...rest,
      through: "identityProvider",
      issuer,
      clientId,
      role: { uid: defaultRole, name: "" },
    }),
  );

const groupInvite = z
  .object({
    uid: externalUid,
    keyId: name,
    email: name,
    singleUse: z.boolean().default(false),
    expirationTime: text.exactOptional(),
    role: z.object({ uid: externalUid, name }).optional(),
    // An invite that is planned has not been returned by a platform.
    roleUid: name,
  })
  .transform(
    ({ role: returned, roleUid, ...rest }): LoginGrant => ({
      ...rest,
      through: "groupInvite",
      role: returned ?? { uid: roleUid, name: "" },
    }),
  );

const claimMatch = z.object({ claims: texts, claimPatterns: texts }).catchall(z.unknown());
const staticKeys = z.object({
  issuer: name,
  subject: name,
  audiences: z.array(text).default([]),
  issuerKeys: z.string().default(""),
  expirationTime: text.exactOptional(),
});
const identity = z
  .object({
    uid: externalUid,
    name,
    lastSeenTime: text.exactOptional(),
    createTime: text.exactOptional(),
    person: z.object({ name, email: name }).transform(shownPerson).exactOptional(),
    claimMatch: claimMatch.exactOptional(),
    staticKeys: staticKeys.exactOptional(),
    awsIdentity: z.record(z.string(), z.unknown()).exactOptional(),
  })
  .transform(
    ({
      awsIdentity: aws,
      claimMatch: claims,
      createTime,
      lastSeenTime,
      person,
      staticKeys: keys,
      ...rest
    }): KnownIdentity => ({
      ...rest,
      ...(person === undefined ? {} : { person }),
      // Until somebody assumes the identity, the platform returns the time of its creation.
      ...(lastSeenTime === undefined || lastSeenTime === createTime ? {} : { lastSeenTime }),
      assumedBy: assumptionOf(claims, keys, aws),
    }),
  );

function assumptionOf(
  claimed: z.output<typeof claimMatch> | undefined,
  keys: z.output<typeof staticKeys> | undefined,
  aws: Readonly<Record<string, unknown>> | undefined,
): Assumption {
  if (claimed !== undefined) {
    const { claims, claimPatterns, ...rest } = claimed;
    const nested = [...named("claims", claims), ...named("claimPatterns", claimPatterns)];
    return { method: "claimMatch", conditions: [...conditionsOf(rest), ...nested] };
  }
  if (keys !== undefined) {
    const { audiences, expirationTime, issuerKeys, ...rest } = keys;
    const audience = audiences.map((value) => ({ name: "audience", value }));
    const signed = issuerKeys === "" ? [] : [{ name: "keys", value: fingerprint(issuerKeys) }];
    const expiry = expirationTime === undefined ? {} : { expirationTime };
    return { method: "staticKeys", conditions: [...conditionsOf(rest), ...audience, ...signed], ...expiry };
  }
  if (aws !== undefined) return { method: "awsIdentity", conditions: conditionsOf(aws) };
  return { method: "unknown", conditions: [] };
}

/** Keys are long; whether they are others is what matters. */
function fingerprint(keys: string): string {
  return `sha256:${createHash("sha256").update(keys).digest("hex").slice(0, 32)}`;
}

function conditionsOf(fields: Readonly<Record<string, unknown>>): Assumption["conditions"] {
  return Object.entries(fields).flatMap(([field, value]) =>
    typeof value === "string" && value !== "" ? [{ name: visibleText(field), value: visibleText(value) }] : [],
  );
}

function named(field: string, values: Readonly<Record<string, string>>): Assumption["conditions"] {
  return conditionsOf(Object.fromEntries(Object.entries(values).map(([key, value]) => [`${field}.${key}`, value])));
}

export const groups = { name: "groups", api, schema: group, uids: childUids } satisfies ResourceType;
export const identities = { name: "identities", api, schema: identity, uids: childUids } satisfies ResourceType;
export const roles = { name: "roles", api, schema: role, uids: childUids } satisfies ResourceType;
export const roleBindings = { name: "roleBindings", api, schema: roleBinding, uids: childUids } satisfies ResourceType;
export const identityProviders = {
  name: "identityProviders",
  api,
  schema: identityProvider,
  uids: childUids,
} satisfies ResourceType;
export const groupInvites = { name: "groupInvites", api, schema: groupInvite, uids: childUids } satisfies ResourceType;
