import { z } from "zod";
import { type Identity, identityDefinition, type IdentitySpec } from "#src/api/identity.ts";
import { externalText, externalUid } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import type { Fields, Kind } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
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
export type ExternalIdentity = z.output<typeof externalIdentity>;

/** The authentication methods of an identity. An identity has one, which is compared and written as a whole. */
const authenticationMethods = ["claimMatch", "staticKeys", "awsIdentity"] as const;

export const identityKind: Kind<Identity, ExternalIdentity> = {
  name: "Identity",
  definition: identityDefinition,
  collection: {
    name: "identities",
    api: "iam/v2beta1",
    schema: externalIdentity,
    listCapability: "CAP_IAM_IDENTITY_LIST",
    uids: childUids,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "identity",
  hasMarker: true,
  refersTo: ["Group"],
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: ({ spec, metadata }, _uids, { serviceAccountIssuer }) => ({
    name: spec.name ?? metadata.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...authenticationMethod(spec, metadata.namespace, serviceAccountIssuer),
  }),
  naturalKey: (_uids, marker) => marker,
  actual: (external, desired) => ({
    name: external.name,
    description: external.description,
    ...Object.fromEntries(
      authenticationMethods.flatMap((method) =>
        external[method] === undefined ? [] : [[method, withoutDefaults(compact(external[method]), desired[method])]],
      ),
    ),
  }),
  specPath: (field) => `spec.${field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
};

function authenticationMethod(spec: IdentitySpec, namespace: string | undefined, serviceAccountIssuer: string): Fields {
  if (spec.serviceAccountRef !== undefined)
    return {
      claimMatch: {
        issuer: serviceAccountIssuer,
        subject: `system:serviceaccount:${namespace ?? ""}:${spec.serviceAccountRef.name}`,
      },
    };
  if (spec.claimMatch !== undefined) return { claimMatch: compact(spec.claimMatch) };
  if (spec.staticKeys !== undefined) return { staticKeys: compact(spec.staticKeys) };
  return { awsIdentity: compact(spec.awsIdentity ?? {}) };
}

/** Returns the fields without the expiration time that the platform fills in if the user set none. */
function withoutDefaults(actual: Fields, desired: unknown): Fields {
  if (!isObject(desired) || "expirationTime" in desired) return actual;
  const { expirationTime: _platformDefault, ...rest } = actual;
  return rest;
}

/**
 * Returns the fields that have a value, with timestamps in one format. The platform may omit a field without a value or
 * return it empty.
 */
function compact(value: object): Fields {
  const entries = Object.entries(value).filter(
    ([, field]) => field !== undefined && field !== "" && !(isObject(field) && Object.keys(field).length === 0),
  );
  return Object.fromEntries(
    entries.map(([name, field]) => [name, name === "expirationTime" ? new Date(String(field)).toISOString() : field]),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
