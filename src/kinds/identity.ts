import { type Identity, identityDefinition, type IdentitySpec } from "#src/api/identity.ts";
import type { ExternalIdentity } from "#src/platform-client/external-resource.ts";
import type { Fields, Kind } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";

/** The authentication methods of an identity. An identity has one, which is compared and written as a whole. */
const authenticationMethods = ["claimMatch", "staticKeys", "awsIdentity"] as const;

export const identityKind: Kind<Identity, ExternalIdentity> = {
  name: "Identity",
  definition: identityDefinition,
  collection: "identities",
  noun: "identity",
  hasMarker: true,
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: ({ spec, metadata }, _uids, { serviceAccountIssuer }) => ({
    name: spec.name ?? metadata.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...authenticationMethod(spec, metadata.namespace, serviceAccountIssuer),
  }),
  actual: (external, desired) => ({
    name: external.name,
    description: external.description,
    ...Object.fromEntries(
      authenticationMethods.flatMap((method) =>
        external[method] === undefined ? [] : [[method, withoutDefaults(compact(external[method]), desired[method])]],
      ),
    ),
  }),
  nameOf: (external) => external.name,
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
