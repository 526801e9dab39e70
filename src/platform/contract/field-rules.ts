import type { DescField, DescMessage } from "@bufbuild/protobuf";
import * as v1Groups from "../gen/muster/platform/iam/groups_pb.ts";
import * as v1Identities from "../gen/muster/platform/iam/identities_pb.ts";
import {
  AccountAssociation_AmazonSchema,
  AccountAssociation_AzureSchema,
  AccountAssociation_GoogleSchema,
  AccountAssociationSchema,
} from "../gen/muster/platform/iam/v2beta1/account_association_pb.ts";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import {
  Identity_AWSIdentitySchema,
  Identity_ClaimMatchSchema,
  Identity_StaticKeysSchema,
  IdentitySchema,
} from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import {
  IdentityProvider_OIDCSchema,
  IdentityProviderSchema,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { RecordSchema } from "../gen/muster/platform/audit/v1beta1/record_pb.ts";
import { RepoSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { TagSchema } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import {
  awsAccountRule,
  descriptionRule,
  digestRule,
  digitsRule,
  emailRule,
  issuerNameRule,
  issuerRule,
  jwksRule,
  nameRule,
  patternRule,
  presentRule,
  subjectRule,
  type TextRule,
  uidRule,
} from "./text-rule.ts";

const named = { name: nameRule, description: descriptionRule };
const claimMatch = {
  issuer: issuerRule,
  issuerPattern: patternRule,
  subject: subjectRule,
  subjectPattern: patternRule,
  audience: presentRule,
  audiencePattern: patternRule,
  claimPatterns: patternRule,
};
const staticKeys = { issuer: issuerNameRule, subject: subjectRule, issuerKeys: jwksRule, audiences: presentRule };
const awsIdentity = {
  awsAccount: awsAccountRule,
  arn: presentRule,
  arnPattern: patternRule,
  userId: presentRule,
  userIdPattern: patternRule,
};

/** Rules by the JSON name of the field. The rule of a list applies to its items, that of a map to its values. */
const rules: ReadonlyMap<DescMessage, Readonly<Record<string, TextRule>>> = new Map<
  DescMessage,
  Readonly<Record<string, TextRule>>
>([
  [GroupSchema, named],
  [IdentitySchema, named],
  [Identity_ClaimMatchSchema, claimMatch],
  [Identity_StaticKeysSchema, staticKeys],
  [Identity_AWSIdentitySchema, awsIdentity],
  [RoleSchema, named],
  [IdentityProviderSchema, named],
  [IdentityProvider_OIDCSchema, { issuer: issuerRule, clientId: presentRule, additionalScopes: presentRule }],
  [AccountAssociationSchema, named],
  [AccountAssociation_AmazonSchema, { account: awsAccountRule }],
  [AccountAssociation_GoogleSchema, { projectId: presentRule, projectNumber: digitsRule }],
  [AccountAssociation_AzureSchema, { tenantId: presentRule }],
  [GroupInviteSchema, { email: emailRule }],
  [RepoSchema, named],
  [TagSchema, { name: nameRule, digest: digestRule }],
  [RecordSchema, { id: digitsRule }],
  [v1Groups.GroupSchema, named],
  [v1Identities.Identity_ClaimMatchSchema, claimMatch],
  [v1Identities.Identity_StaticSchema, staticKeys],
  [v1Identities.Identity_AWSIdentitySchema, awsIdentity],
]);

/** String fields that hold a uid in any message without a rule for them. */
const uidFields = new Set([
  "uid",
  "id",
  "parent",
  "identity_uid",
  "role_uid",
  "default_role",
  "identity",
  "group",
  "role",
  "ancestors_of",
  "descendants_of",
  "children_of",
  "ids",
  "scope",
  "scopes",
]);

/** The rule for the strings of a field; undefined if any string is valid. */
export function textRuleOf(field: DescField): TextRule | undefined {
  const rule = rules.get(field.parent)?.[field.jsonName];
  if (rule !== undefined) return rule;
  const isText = field.fieldKind !== "message" && field.fieldKind !== "enum" && field.message === undefined;
  return isText && uidFields.has(field.name) ? uidRule : undefined;
}
