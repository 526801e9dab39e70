import { z } from "zod";
import { uidPattern } from "./uid.ts";

/**
 * The platform's resources as the operator reads them: only the fields that it works with, checked on arrival because
 * nothing is trusted for coming from the platform. Unknown fields are left out.
 */
const uid = z.string().regex(uidPattern);
const text = z.string().default("");
const texts = z.record(z.string(), z.string()).optional();

const groupRow = z.object({ uid, name: text, description: text });

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

const identityRow = z.object({
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
const roleBindingRow = z.object({ uid, identity: named, role: named });
const roleRow = z.object({ uid, name: text, capabilities: z.array(z.string()).default([]) });

export const externalResourceSchemas = {
  groups: groupRow,
  identities: identityRow,
  roleBindings: roleBindingRow,
  roles: roleRow,
} as const;

export type ExternalGroup = z.infer<typeof groupRow>;
export type ExternalIdentity = z.infer<typeof identityRow>;
export type ExternalRoleBinding = z.infer<typeof roleBindingRow>;
export type ExternalRole = z.infer<typeof roleRow>;

export interface ExternalResources {
  groups: ExternalGroup;
  identities: ExternalIdentity;
  roleBindings: ExternalRoleBinding;
  roles: ExternalRole;
}

/** The collections that custom resources are kept in. */
export type CollectionName = "groups" | "identities" | "roleBindings";
export type ExternalResource = ExternalResources[CollectionName];

/** The capability whose holder may list a collection, by its name on the wire. */
export const listCapability: Readonly<Record<CollectionName, string>> = {
  groups: "CAP_IAM_GROUPS_LIST",
  identities: "CAP_IAM_IDENTITY_LIST",
  roleBindings: "CAP_IAM_ROLE_BINDINGS_LIST",
};
