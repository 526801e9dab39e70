import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { type Identity, IdentitySchema, RelationshipType } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";
import { personKeyOf } from "./person-key.ts";
import { emailKeyOf, nameKeyOf } from "./searched-person.ts";

export const identities = new Collection({
  schema: IdentitySchema,
  table: "identities",
  type: "identity",
  types: "identities",
  listCapability: Capability.CAP_IAM_IDENTITY_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {
    relationship: relationshipTypeOf,
    issuer: (identity) => issuerOf(identity) ?? null,
    subject: (identity) => subjectOf(identity) ?? null,
    person: (identity) => personKeyOf(identity) ?? null,
    person_name: ({ person }) => (person?.name ? nameKeyOf(person.name) : null),
    person_email: ({ person }) => (person?.email ? emailKeyOf(person.email) : null),
    expires: (identity) => expiryOf(identity) ?? null,
  },
});

function relationshipTypeOf({ relationship }: Identity): RelationshipType {
  switch (relationship.case) {
    case "claimMatch":
      return RelationshipType.CLAIM_MATCH;
    case "staticKeys":
      return RelationshipType.STATIC;
    case "awsIdentity":
      return RelationshipType.AWS_IDENTITY;
    case undefined:
      return RelationshipType.UNSPECIFIED;
  }
}

/** The only issuer whose tokens may assume the identity; `undefined` if it has a pattern instead, or no relationship. */
export function issuerOf({ relationship }: Identity): string | undefined {
  if (relationship.case === "staticKeys") return relationship.value.issuer;
  if (relationship.case === "claimMatch" && relationship.value.iss.case === "issuer")
    return relationship.value.iss.value;
  return undefined;
}

/** The only subject that may assume the identity; `undefined` as for the issuer. */
export function subjectOf({ relationship }: Identity): string | undefined {
  if (relationship.case === "staticKeys") return relationship.value.subject;
  if (relationship.case === "claimMatch" && relationship.value.sub.case === "subject")
    return relationship.value.sub.value;
  return undefined;
}

function expiryOf({ relationship }: Identity): number | undefined {
  if (relationship.case !== "staticKeys" || relationship.value.expirationTime === undefined) return undefined;
  return timestampMs(relationship.value.expirationTime);
}
