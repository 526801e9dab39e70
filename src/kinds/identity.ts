import type { Identity, IdentitySpec } from "#src/api/identity.ts";
import type { ExternalIdentity } from "#src/platform-client/external-resource.ts";
import type { Fields, Kind } from "./kind.ts";
import { parentReference } from "./parent-reference.ts";

/** How an identity is assumed is one of these, compared and written whole. */
const relationships = ["claimMatch", "staticKeys", "awsIdentity"] as const;

export const identityKind: Kind<Identity, ExternalIdentity> = {
  name: "Identity",
  collection: "identities",
  noun: "identity",
  marked: true,
  references: ({ spec }) => [parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid)],
  desired: ({ spec, metadata }, _uids, { serviceAccountIssuer }) => ({
    name: spec.name ?? metadata.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...relationship(spec, metadata.namespace, serviceAccountIssuer),
  }),
  actual: (row, desired) => ({
    name: row.name,
    description: row.description,
    ...Object.fromEntries(
      relationships.flatMap((one) =>
        row[one] === undefined ? [] : [[one, asDesired(compact(row[one]), desired[one])]],
      ),
    ),
  }),
  nameOf: (row) => row.name,
  specPath: (field) => `spec.${field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}`,
};

function relationship(spec: IdentitySpec, namespace: string | undefined, serviceAccountIssuer: string): Fields {
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

/** Without the expiry that the platform fills in where the user set none. */
function asDesired(actual: Fields, desired: unknown): Fields {
  if (!isObject(desired) || "expirationTime" in desired) return actual;
  const { expirationTime: _filledIn, ...rest } = actual;
  return rest;
}

/** Without what is empty, which the platform writes out or leaves out as it likes; timestamps in one form. */
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
