import { z } from "zod";
import { uidPattern } from "./uid.ts";

/**
 * The platform's resources with the fields that the operator uses. Responses are validated against these schemas, because
 * the operator does not trust the platform; unknown fields are dropped.
 */
const uid = z.string().regex(uidPattern);
const text = z.string().default("");
const texts = z.record(z.string(), z.string()).optional();

const group = z.object({ uid, name: text, description: text });

const claimMatch = z.object({
  issuer: z.string().optional(),
  issuerPattern: z.string().optional(),
  subject: z.string().optional(),
  subjectPattern: z.string().optional(),
  audience: z.string().optional(),
  audiencePattern: z.string().optional(),
  claims: texts,
  claimPatterns: texts,
});

const identity = z.object({
  uid,
  name: text,
  description: text,
  claimMatch: claimMatch.optional(),
  staticKeys: z
    .object({
      issuer: text,
      subject: text,
      issuerKeys: text,
      expirationTime: z.string().optional(),
      audiences: z.array(z.string()).default([]),
    })
    .optional(),
  awsIdentity: z
    .object({
      awsAccount: text,
      arn: z.string().optional(),
      arnPattern: z.string().optional(),
      userId: z.string().optional(),
      userIdPattern: z.string().optional(),
    })
    .optional(),
});

const named = z.object({ uid: z.string(), name: text });
const roleBinding = z.object({ uid, identity: named, role: named });
const role = z.object({ uid, name: text, capabilities: z.array(z.string()).default([]) });

export const externalResourceSchemas = {
  groups: group,
  identities: identity,
  roleBindings: roleBinding,
  roles: role,
} as const;

export type ExternalGroup = z.infer<typeof group>;
export type ExternalIdentity = z.infer<typeof identity>;
export type ExternalRoleBinding = z.infer<typeof roleBinding>;
export type ExternalRole = z.infer<typeof role>;

export interface ExternalResources {
  groups: ExternalGroup;
  identities: ExternalIdentity;
  roleBindings: ExternalRoleBinding;
  roles: ExternalRole;
}

/** The collections whose resources are managed by custom resources. */
export type CollectionName = "groups" | "identities" | "roleBindings";
export type ExternalResource = ExternalResources[CollectionName];

/** The capability that is required to list each collection, by its name in the API. */
export const listCapability: Readonly<Record<CollectionName, string>> = {
  groups: "CAP_IAM_GROUPS_LIST",
  identities: "CAP_IAM_IDENTITY_LIST",
  roleBindings: "CAP_IAM_ROLE_BINDINGS_LIST",
};
