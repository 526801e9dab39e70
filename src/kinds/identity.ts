import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type Identity, identityDefinition, type IdentitySpec } from "#src/api/identity.ts";
import type { Exchange } from "#src/api/status.ts";
import { isJsonObject } from "#src/json/json-object.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import type { Fields } from "./fields.ts";
import { byMarker } from "./identification.ts";
import type { Endpoints, Kind, ServiceAccountTokens } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
import { desiredName } from "./desired-name.ts";
import { onlyEndsKeys } from "./ended-keys.ts";
import { parentReference } from "./parent-reference.ts";

const texts = z.record(z.string(), z.string()).optional();
const externalIdentity = z.object({
  uid: externalUid,
  name: externalText,
  description: externalText,
  claimMatch: z
    .object({
      issuer: z.string().optional(),
      issuerPattern: z.string().optional(),
      subject: z.string().optional(),
      subjectPattern: z.string().optional(),
      audience: z.string().optional(),
      audiencePattern: z.string().optional(),
      claims: texts,
      claimPatterns: texts,
    })
    .optional(),
  staticKeys: z
    .object({
      issuer: externalText,
      subject: externalText,
      issuerKeys: externalText,
      expirationTime: z.string().optional(),
      audiences: z.array(z.string()).default([]),
    })
    .optional(),
  awsIdentity: z
    .object({
      awsAccount: externalText,
      arn: z.string().optional(),
      arnPattern: z.string().optional(),
      userId: z.string().optional(),
      userIdPattern: z.string().optional(),
    })
    .optional(),
});
/** The fields that decide who may assume an identity. */
const authentication = externalIdentity.pick({ claimMatch: true, staticKeys: true, awsIdentity: true });

export type ExternalIdentity = z.output<typeof externalIdentity>;

/** The authentication methods of an identity. An identity has one, which is compared and written as a whole. */
export const authenticationMethods = Object.keys(authentication.shape) as readonly (keyof Authentication)[];

export const identityKind: Kind<Identity, ExternalIdentity> = {
  name: "Identity",
  definition: identityDefinition,
  collection: {
    name: "identities",
    api: "iam/v2beta1",
    schema: externalIdentity,
    listCapability: "CAP_IAM_IDENTITY_LIST",
    authenticationFields: authenticationMethods,
    uids: childUids,
    issuing: null,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "identity",
  identification: byMarker,
  refersTo: ["Group"],
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: (identity, _uids, { serviceAccounts }) => ({
    ...desiredName(identity),
    ...(identity.spec.description === undefined ? {} : { description: identity.spec.description }),
    ...authenticationMethod(identity.spec, identity.metadata.namespace, serviceAccounts),
  }),
  nameOf: (identity) => desiredName(identity).name,
  actual: (external, desired) => ({
    name: external.name,
    description: external.description,
    ...Object.fromEntries(
      authenticationMethods.flatMap((method) =>
        external[method] === undefined ? [] : [[method, withoutDefaults(compact(external[method]), desired[method])]],
      ),
    ),
  }),
  identityOf: ({ uid }) => uid,
  principal: {
    authentication: ({ spec }) => spec,
    isDescribed: ({ spec }) =>
      spec.serviceAccountRef !== undefined || authenticationMethods.some((method) => method in spec),
    followsCluster: (field, { spec }) => field === "staticKeys" && spec.serviceAccountRef !== undefined,
    letsInNobodyElse: ({ spec }, external, desired) =>
      spec.serviceAccountRef === undefined
        ? onlyEndsKeys(external, authentication.parse(desired))
        : isSameServiceAccount(external, authentication.parse(desired)),
    exchange,
  },
  bindable: null,
  vouching: null,
  secret: null,
  linking: null,
  specPath: (field, { spec }) => {
    const path = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (spec.serviceAccountRef === undefined || !/^(claimMatch|staticKeys)\b/.test(path)) return `spec.${path}`;
    // The spec names a service account, from which the claims are derived.
    return /\.audiences?\b/.test(path) ? "spec.serviceAccountRef.audience" : "spec.serviceAccountRef";
  },
};

type Authentication = z.output<typeof authentication>;

/**
 * Whether both let in the same service account, whatever keys verify its tokens: those of the cluster follow from facts that no
 * editor can change.
 */
function isSameServiceAccount(before: Authentication, after: Authentication): boolean {
  const account = serviceAccountOf(after);
  return account !== undefined && isDeepStrictEqual(serviceAccountOf(before), account);
}

/** Whose tokens let in a client; undefined if more than the issuer, the subject and one audience decides that. */
function serviceAccountOf({ claimMatch, staticKeys }: Authentication): Fields | undefined {
  if (staticKeys !== undefined) {
    const { issuer, subject, audiences } = staticKeys;
    return audiences.length === 1 ? { issuer, subject, audience: audiences[0] } : undefined;
  }
  const { issuer, subject, audience, ...others } = compact(claimMatch ?? {});
  return Object.keys(others).length === 0 ? { issuer, subject, audience } : undefined;
}

/** The issuer of the requests that AWS principals sign. */
const awsIssuer = "https://sts.amazonaws.com";

/** What a client needs to assume an identity with these fields. Patterns are returned as they are. */
function exchange(fields: Fields, { authUrl, platformUrl, defaultAudience }: Endpoints): Exchange {
  const { claimMatch, staticKeys, awsIdentity } = authentication.parse(fields);
  const { issuer, subject, audience } = {
    ...(claimMatch === undefined
      ? {}
      : {
          issuer: claimMatch.issuer ?? claimMatch.issuerPattern,
          subject: claimMatch.subject ?? claimMatch.subjectPattern,
          audience: claimMatch.audience ?? claimMatch.audiencePattern ?? defaultAudience,
        }),
    ...(staticKeys === undefined
      ? {}
      : {
          issuer: staticKeys.issuer,
          subject: staticKeys.subject,
          audience: staticKeys.audiences[0] ?? defaultAudience,
        }),
    ...(awsIdentity === undefined
      ? {}
      : { issuer: awsIssuer, subject: awsIdentity.arn ?? awsIdentity.arnPattern, audience: authUrl }),
  };
  return {
    url: `${authUrl}/sts/exchange`,
    platformUrl,
    ...(issuer === undefined ? {} : { issuer }),
    ...(subject === undefined ? {} : { subject }),
    ...(audience === undefined ? {} : { audience }),
    apiAudience: platformUrl,
  };
}

function authenticationMethod(
  spec: IdentitySpec,
  namespace: string | undefined,
  serviceAccounts: ServiceAccountTokens,
): Fields {
  if (spec.serviceAccountRef !== undefined) {
    const subject = `system:serviceaccount:${namespace ?? ""}:${spec.serviceAccountRef.name}`;
    // Always written: what the platform expects by default cannot be read from it.
    const audience = spec.serviceAccountRef.audience ?? serviceAccounts.audience;
    const { issuer, uploaded } = serviceAccounts;
    return uploaded === undefined
      ? { claimMatch: { issuer, subject, audience } }
      : { staticKeys: { issuer, subject, ...uploaded, audiences: [audience] } };
  }
  if (spec.claimMatch !== undefined) return { claimMatch: compact(spec.claimMatch) };
  if (spec.staticKeys !== undefined) return { staticKeys: compact(spec.staticKeys) };
  if (spec.awsIdentity !== undefined) return { awsIdentity: compact(spec.awsIdentity) };
  // An object that only observes an identity need not say who may assume it.
  return {};
}

/** Returns the fields without the expiration time that the platform fills in if the user set none. */
function withoutDefaults(actual: Fields, desired: unknown): Fields {
  if (!isJsonObject(desired) || "expirationTime" in desired) return actual;
  const { expirationTime: _platformDefault, ...rest } = actual;
  return rest;
}

/**
 * Returns the fields that have a value, with timestamps in one format. The platform may omit a field without a value or
 * return it empty.
 */
function compact(value: object): Fields {
  const entries = Object.entries(value).filter(([, field]) => !isEmpty(field));
  return Object.fromEntries(
    entries.map(([name, field]) => [name, name === "expirationTime" ? inOneFormat(String(field)) : field]),
  );
}

function isEmpty(field: unknown): boolean {
  if (typeof field === "object" && field !== null) return Object.keys(field).length === 0;
  return field === undefined || field === "";
}

/** `time` as every equal time is written; unchanged if it is not a time, which the platform may return. */
function inOneFormat(time: string): string {
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? time : new Date(parsed).toISOString();
}
