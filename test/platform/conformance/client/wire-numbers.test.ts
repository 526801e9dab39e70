import type { DescEnum, DescField, DescMessage, DescService } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { CapabilitySchema } from "#src/platform/gen/muster/capabilities/capabilities_pb.ts";
import { Groups } from "#src/platform/gen/muster/platform/iam/groups_pb.ts";
import { Identities } from "#src/platform/gen/muster/platform/iam/identities_pb.ts";
import { RoleBindings } from "#src/platform/gen/muster/platform/iam/role_bindings_pb.ts";
import { Roles } from "#src/platform/gen/muster/platform/iam/roles_pb.ts";
import { SecurityTokenService } from "#src/platform/gen/muster/platform/oidc/security_token_service_pb.ts";
import { Registry } from "#src/platform/gen/muster/platform/registry/repos_pb.ts";
import { collections } from "./collections.ts";

/**
 * The messages that clients of this family of APIs send and expect: `number name`, and the type unless it is string. The
 * suite and the platform are generated from the same proto files, and without this list both could be wrong together.
 */
const messages: Readonly<Record<string, string>> = {
  "platform.common.UIDPFilter": "1 ancestors_of, 2 descendants_of, 3 children_of, 4 in_root bool, 5 ids string[]",

  "platform.iam.v2beta1.Group":
    "1 uid, 2 name, 3 description, 4 resource_limits {string,int32}, 5 verified bool, 6 create_time Timestamp, 7 update_time Timestamp",
  "platform.iam.v2beta1.Identity":
    "1 uid, 2 name, 3 description, 8 last_seen_time Timestamp, 9 create_time Timestamp, 10 update_time Timestamp, 20 claim_match ClaimMatch, 21 static_keys StaticKeys, 22 aws_identity AWSIdentity, 101 person Person",
  "platform.iam.v2beta1.Identity.ClaimMatch":
    "1 issuer, 2 issuer_pattern, 3 subject, 4 subject_pattern, 5 audience, 6 audience_pattern, 7 claims {string,string}, 8 claim_patterns {string,string}",
  "platform.iam.v2beta1.Identity.StaticKeys":
    "1 issuer, 2 subject, 3 issuer_keys, 4 expiration_time Timestamp, 5 audiences string[]",
  "platform.iam.v2beta1.Identity.AWSIdentity": "1 aws_account, 2 arn, 3 arn_pattern, 4 user_id, 5 user_id_pattern",
  "platform.iam.v2beta1.Identity.Person": "1 name, 2 email",
  "platform.iam.v2beta1.Role":
    "1 uid, 2 name, 3 description, 4 capabilities Capability[], 5 create_time Timestamp, 6 update_time Timestamp",
  "platform.iam.v2beta1.RoleBinding":
    "1 uid, 2 identity RoleBindingIdentity, 3 group RoleBindingGroup, 4 role RoleBindingRole, 5 create_time Timestamp, 6 identity_uid, 7 role_uid",
  "platform.iam.v2beta1.RoleBindingIdentity": "1 uid, 2 name, 3 description, 4 subject, 5 issuer",
  "platform.iam.v2beta1.RoleBindingGroup": "1 uid, 2 name, 3 description",
  "platform.iam.v2beta1.RoleBindingRole": "1 uid, 2 name, 3 description",
  "platform.iam.v2beta1.BatchCreateRoleBindingsRequest": "1 parent, 2 requests CreateRoleBindingRequest[], 3 role_uid",
  "platform.iam.v2beta1.BatchCreateRoleBindingsResponse": "1 role_bindings RoleBinding[]",
  "platform.iam.v2beta1.LookupIdentityRequest": "1 issuer, 2 subject",
  "platform.iam.v2beta1.LookupIdentityResponse": "1 uid",
  "platform.iam.v2beta1.IdentityProvider":
    "1 uid, 2 name, 3 description, 4 create_time Timestamp, 5 update_time Timestamp, 6 default_role, 20 oidc OIDC",
  "platform.iam.v2beta1.IdentityProvider.OIDC":
    "1 issuer, 2 client_id, 3 client_secret, 4 additional_scopes string[], 5 groups_claim, 7 pkce_enabled bool",
  "platform.iam.v2beta1.AccountAssociation":
    "1 uid, 2 name, 3 description, 4 amazon Amazon, 5 google Google, 8 azure Azure, 9 create_time Timestamp, 10 update_time Timestamp, 11 github GitHub",
  "platform.iam.v2beta1.AccountAssociation.Amazon": "1 account",
  "platform.iam.v2beta1.AccountAssociation.Google": "1 project_id, 2 project_number",
  "platform.iam.v2beta1.AccountAssociation.Azure": "1 tenant_id, 2 client_ids {string,string}",
  "platform.iam.v2beta1.AccountAssociation.GitHub": "2 app_installations {int64,GitHubAppInstallations}",
  "platform.iam.v2beta1.GitHubAppInstallations": "1 installations GitHubAppInstallation[]",
  "platform.iam.v2beta1.GitHubAppInstallation": "1 installation_id int64, 2 name",
  "platform.iam.v2beta1.GroupInvite":
    "1 uid, 2 role_uid, 3 email, 4 ttl Duration, 5 expiration_time Timestamp, 6 single_use bool, 7 code, 8 key_id, 9 create_time Timestamp, 10 role GroupInviteRole, 101 update_time Timestamp",
  "platform.iam.v2beta1.GroupInviteRole": "1 uid, 2 name, 3 description, 4 capabilities Capability[]",

  "platform.iam.v2beta1.ListGroupsRequest":
    "1 uidp UIDPFilter, 2 name, 3 page_size int32, 4 page_token, 5 order_by, 6 skip int32",
  "platform.iam.v2beta1.ListRolesRequest":
    "1 uidp UIDPFilter, 2 name, 3 page_size int32, 4 page_token, 5 order_by, 6 skip int32",
  "platform.iam.v2beta1.ListAccountAssociationsRequest":
    "1 uidp UIDPFilter, 2 name, 3 page_size int32, 4 page_token, 5 order_by, 6 skip int32",
  "platform.iam.v2beta1.ListIdentitiesRequest":
    "1 uidp UIDPFilter, 2 name, 3 relationship_type RelationshipType, 4 page_size int32, 5 page_token, 6 order_by, 7 skip int32, 101 person",
  "platform.iam.v2beta1.ListRoleBindingsRequest":
    "1 uidp UIDPFilter, 2 identity, 3 group, 4 role, 5 page_size int32, 6 page_token, 7 order_by, 8 skip int32",
  "platform.iam.v2beta1.ListIdentityProvidersRequest":
    "1 uidp UIDPFilter, 2 name, 10 page_size int32, 11 page_token, 12 order_by, 13 skip int32",
  "platform.iam.v2beta1.ListGroupInvitesRequest":
    "1 uidp UIDPFilter, 2 key_id, 3 page_size int32, 4 page_token, 5 order_by, 6 skip int32",
  "platform.registry.v2beta1.ListReposRequest":
    "1 uidp UIDPFilter, 2 name, 4 page_size int32, 5 page_token, 6 order_by, 7 skip int32",
  "platform.registry.v2beta1.ListTagsRequest":
    "1 uidp UIDPFilter, 2 name, 3 updated_since Timestamp, 4 include_referrers bool, 5 include_dates bool, 6 include_epochs bool, 7 digest, 10 page_size int32, 11 page_token, 12 order_by, 13 skip int32",
  "platform.vulnerabilities.v2beta1.ListAdvisoriesRequest":
    "1 uidp UIDPFilter, 2 advisory_ids string[], 3 legacy_advisory_ids string[], 4 artifact_names string[], 5 artifact_types string[], 6 artifact_architectures string[], 7 component_names string[], 8 component_types string[], 9 component_locations string[], 10 aliases string[], 25 event_types EventTypeFilter[], 26 latest_event_type EventTypeFilter, 30 page_size int32, 31 page_token, 32 order_by, 34 skip int32, 35 query",

  "platform.registry.v2beta1.Repo":
    "1 uid, 2 name, 3 description, 4 catalog_tier CatalogTier, 5 bundles string[], 7 aliases string[], 8 active_tags string[], 11 create_time Timestamp, 12 update_time Timestamp",
  "platform.registry.v2beta1.Tag":
    "1 uid, 2 name, 3 digest, 4 update_time Timestamp, 5 deprecated bool, 6 bundles string[], 101 create_time Timestamp",

  "platform.vulnerabilities.v2beta1.Advisory":
    "1 uid, 2 advisory_id, 3 create_time Timestamp, 4 update_time Timestamp, 5 delete_time Timestamp, 6 author, 7 artifact_name, 8 artifact_type, 9 artifact_architecture, 10 component_name, 11 component_location, 12 component_type, 13 aliases string[], 14 events AdvisoryEvent[], 15 legacy_advisory_id, 16 severities Severity[]",
  "platform.vulnerabilities.v2beta1.AdvisoryEvent":
    "1 uid, 2 create_time Timestamp, 4 author, 5 reviewer, 6 review_state ReviewState, 10 detection Detection, 11 fixed Fixed, 12 false_positive_determination FalsePositiveDetermination, 13 analysis_not_planned AnalysisNotPlanned, 14 fix_not_planned FixNotPlanned, 15 pending_upstream_fix PendingUpstreamFix, 16 true_positive_determination TruePositiveDetermination, 17 patched Patched",
  "platform.vulnerabilities.v2beta1.Detection": "1 nvdapi NVDAPI, 2 manual Manual, 3 scanv1 ScanV1",
  "platform.vulnerabilities.v2beta1.Detection.NVDAPI": "1 cpe_searched, 2 cpe_found",
  "platform.vulnerabilities.v2beta1.Detection.Manual": "",
  "platform.vulnerabilities.v2beta1.Detection.ScanV1":
    "1 scanner, 2 subpackage, 3 component_id, 4 component, 5 component_version, 6 component_type, 7 component_location, 8 artifact_version, 9 scanner_version",
  "platform.vulnerabilities.v2beta1.Fixed": "1 fixed_version, 2 note",
  "platform.vulnerabilities.v2beta1.FalsePositiveDetermination": "1 type Type, 2 note",
  "platform.vulnerabilities.v2beta1.AnalysisNotPlanned": "1 note",
  "platform.vulnerabilities.v2beta1.FixNotPlanned": "1 note",
  "platform.vulnerabilities.v2beta1.PendingUpstreamFix": "1 note",
  "platform.vulnerabilities.v2beta1.TruePositiveDetermination": "1 note",
  "platform.vulnerabilities.v2beta1.Patched": "1 patched_versions string[], 2 note",
  "platform.vulnerabilities.v2beta1.Severity": "1 type Type, 2 score",

  "platform.oidc.ExchangeRequest":
    "1 aud string[], 2 scope, 4 identity, 5 cap string[], 7 identity_provider, 8 scopes string[]",
  "platform.oidc.RawToken": "1 token, 2 refresh_token, 3 expiry Timestamp",
  "platform.oidc.ExchangeRefreshTokenRequest": "1 aud string[], 2 scope, 3 cap string[], 4 scopes string[]",
  "platform.oidc.TokenPair": "1 token RawToken, 2 refresh_token RawToken",

  "platform.iam.Group": "1 id, 2 name, 3 description, 4 resource_limits {string,int32}, 5 verified bool",
  "platform.iam.GroupFilter": "1 id, 2 uidp UIDPFilter, 3 name",
  "platform.iam.GroupList": "1 items Group[]",
  "platform.iam.IdentityFilter": "1 uidp UIDPFilter, 2 id",
  "platform.iam.IdentityList": "1 items Identity[]",
  "platform.iam.RoleFilter": "1 id, 2 name, 3 parent, 4 uidp UIDPFilter",
  "platform.iam.RoleList": "1 items Role[]",
  "platform.iam.Role": "1 id, 2 name, 3 description, 4 capabilities string[]",
  "platform.iam.RoleBindingFilter": "1 id, 2 uidp UIDPFilter",
  "platform.iam.RoleBindingList": "1 items Binding[]",
  "platform.iam.RoleBindingList.Binding":
    "1 id, 2 group Group, 3 identity, 4 role Role, 6 claim_match_issuer, 7 claim_match_subject, 8 created_at Timestamp",
  "platform.iam.Identity.ClaimMatch":
    "1 issuer, 2 issuer_pattern, 3 subject, 4 subject_pattern, 5 audience, 6 audience_pattern, 7 claims {string,string}, 8 claim_patterns {string,string}",
  "platform.iam.Identity.AWSIdentity": "1 aws_account, 3 arn, 4 arn_pattern, 5 user_id, 6 user_id_pattern",
  "platform.registry.RepoFilter": "1 uidp UIDPFilter, 2 name, 3 id",
  "platform.registry.RepoList": "1 items Repo[]",
  "platform.registry.Repo":
    "1 id, 2 name, 3 catalog_tier CatalogTier, 4 bundles string[], 8 aliases string[], 9 create_time Timestamp, 10 active_tags string[], 11 description",
  "platform.iam.LookupRequest": "1 issuer, 2 subject",
  "platform.iam.Identity":
    "1 id, 2 name, 3 description, 4 created_at Timestamp, 5 updated_at Timestamp, 9 last_seen Timestamp, 10 claim_match ClaimMatch, 11 static Static, 13 aws_identity AWSIdentity",
  "platform.iam.Identity.Static": "1 issuer, 2 subject, 4 issuer_keys, 5 expiration Timestamp, 6 audiences string[]",
};

/** `PREFIX: number NAME`, where the prefix is the one that the names of all values share. */
const enums: Readonly<Record<string, string>> = {
  "platform.iam.v2beta1.RelationshipType": "RELATIONSHIP_TYPE_: 0 UNSPECIFIED, 1 CLAIM_MATCH, 2 STATIC, 3 AWS_IDENTITY",
  "platform.registry.v2beta1.CatalogTier":
    "CATALOG_TIER_: 0 UNSPECIFIED, 1 APPLICATION, 2 BASE, 3 FIPS, 4 AI, 5 DEVTOOLS, 6 COMMERCIAL",
  "platform.registry.CatalogTier": ": 0 UNKNOWN, 4 APPLICATION, 5 BASE, 6 FIPS, 7 AI, 8 DEVTOOLS, 9 COMMERCIAL",
  "platform.vulnerabilities.v2beta1.EventTypeFilter":
    "EVENT_TYPE_FILTER_: 0 UNSPECIFIED, 1 DETECTION, 2 TRUE_POSITIVE_DETERMINATION, 3 FIXED, 4 FALSE_POSITIVE_DETERMINATION, 5 ANALYSIS_NOT_PLANNED, 6 FIX_NOT_PLANNED, 7 PENDING_UPSTREAM_FIX, 8 PATCHED",
  "platform.vulnerabilities.v2beta1.ReviewState":
    "REVIEW_STATE_: 0 UNSPECIFIED, 1 PENDING, 2 APPROVED, 3 REQUEST_CHANGES, 4 REJECTED",
  "platform.vulnerabilities.v2beta1.Severity.Type": "TYPE_: 0 UNSPECIFIED, 1 CVSS_V2, 2 CVSS_V3, 3 CVSS_V4",
  "platform.vulnerabilities.v2beta1.FalsePositiveDetermination.Type":
    "TYPE_: 0 UNSPECIFIED, 1 VULNERABILITY_RECORD_ANALYSIS_CONTESTED, 2 COMPONENT_VULNERABILITY_MISMATCH, 3 VULNERABLE_CODE_VERSION_NOT_USED, 4 VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE, 5 VULNERABLE_CODE_NOT_IN_EXECUTION_PATH, 6 VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY, 7 INLINE_MITIGATIONS_EXIST",
  "capabilities.Capability":
    ": 0 UNKNOWN, 101 CAP_IAM_GROUPS_CREATE, 102 CAP_IAM_GROUPS_UPDATE, 103 CAP_IAM_GROUPS_LIST, 104 CAP_IAM_GROUPS_DELETE, 201 CAP_IAM_GROUP_INVITES_CREATE, 203 CAP_IAM_GROUP_INVITES_LIST, 204 CAP_IAM_GROUP_INVITES_DELETE, 301 CAP_IAM_ROLES_CREATE, 302 CAP_IAM_ROLES_UPDATE, 303 CAP_IAM_ROLES_LIST, 304 CAP_IAM_ROLES_DELETE, 401 CAP_IAM_ROLE_BINDINGS_CREATE, 402 CAP_IAM_ROLE_BINDINGS_UPDATE, 403 CAP_IAM_ROLE_BINDINGS_LIST, 404 CAP_IAM_ROLE_BINDINGS_DELETE, 701 CAP_IAM_ACCOUNT_ASSOCIATIONS_CREATE, 702 CAP_IAM_ACCOUNT_ASSOCIATIONS_UPDATE, 703 CAP_IAM_ACCOUNT_ASSOCIATIONS_LIST, 704 CAP_IAM_ACCOUNT_ASSOCIATIONS_DELETE, 901 CAP_IAM_IDENTITY_CREATE, 902 CAP_IAM_IDENTITY_UPDATE, 903 CAP_IAM_IDENTITY_LIST, 904 CAP_IAM_IDENTITY_DELETE, 1301 CAP_IAM_IDENTITY_PROVIDERS_CREATE, 1302 CAP_IAM_IDENTITY_PROVIDERS_UPDATE, 1303 CAP_IAM_IDENTITY_PROVIDERS_LIST, 1304 CAP_IAM_IDENTITY_PROVIDERS_DELETE, 1603 CAP_REPO_CREATE, 1604 CAP_REPO_UPDATE, 1605 CAP_REPO_LIST, 1606 CAP_REPO_DELETE, 1611 CAP_TAG_CREATE, 1612 CAP_TAG_UPDATE, 1613 CAP_TAG_LIST, 1614 CAP_TAG_DELETE, 1902 CAP_ADVISORIES_LIST, 100001 CAP_AUDIT_LIST",
};

const services: readonly DescService[] = [
  ...Object.values(collections).map(({ service }) => service),
  SecurityTokenService,
  Groups,
  Identities,
  Roles,
  RoleBindings,
  Registry,
];

/** The methods of v1 whose names do not follow from a collection. */
const v1Methods = [
  "platform.iam.Groups/List",
  "platform.iam.Identities/List",
  "platform.iam.Identities/Lookup",
  "platform.iam.RoleBindings/List",
  "platform.iam.Roles/List",
  "platform.registry.Registry/ListRepos",
];

/** Every message and enum that the services use, by its name without the vendor. */
const used = new Map<string, DescMessage | DescEnum>();
const nameOf = ({ typeName }: { readonly typeName: string }) => typeName.replace(/^muster\./, "");

function add(desc: DescMessage | DescEnum): void {
  if (used.has(nameOf(desc))) return;
  used.set(nameOf(desc), desc);
  if (desc.kind === "enum") return;
  for (const { message, enum: values } of desc.fields) {
    if (message !== undefined) add(message);
    if (values !== undefined) add(values);
  }
}

for (const { methods } of services)
  for (const { input, output } of methods) {
    add(input);
    add(output);
  }
add(CapabilitySchema);

const scalars: Readonly<Record<number, string>> = { 3: "int64", 5: "int32", 8: "bool", 9: "string" };

function typeOf(field: DescField): string {
  const { message, enum: values, scalar } = field;
  const one = message?.name ?? values?.name ?? scalars[scalar ?? 0] ?? "unknown";
  if (field.fieldKind === "map") return `{${scalars[field.mapKey]},${one}}`;
  return field.fieldKind === "list" ? `${one}[]` : one;
}

/** A message or enum in the form of the lists above. */
function textOf(desc: DescMessage | DescEnum): string {
  if (desc.kind === "enum") {
    const prefix = desc.sharedPrefix?.toUpperCase() ?? "";
    return `${prefix}: ${desc.values.map(({ number, name }) => `${number} ${name.slice(prefix.length)}`).join(", ")}`;
  }
  const fields = desc.fields.toSorted((a, b) => a.number - b.number);
  return fields.map((field) => `${field.number} ${field.name} ${typeOf(field)}`.replace(/ string$/, "")).join(", ");
}

/** The requests and responses that follow a pattern, with their text for the name that the pattern captures. */
const patterns: readonly (readonly [RegExp, (resource: string) => string])[] = [
  [/^(?:Get|Delete)(\w+)Request$/, () => "1 uid"],
  [/^Create(\w+)Request$/, (resource) => `1 parent, 2 ${snake(resource)} ${resource}`],
  [/^Update(\w+)Request$/, (resource) => `1 ${snake(resource)} ${resource}, 2 update_mask FieldMask`],
  [
    /^List(\w+)Response$/,
    (plural) => `1 ${snake(plural)} ${singularOf(plural)}[], 2 next_page_token, 3 total_count int64, 4 skipped int32`,
  ],
];
const singularOf = (plural: string) =>
  Object.values(collections).find((collection) => collection.plural === plural)?.singular ?? "";
const snake = (name: string) => name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

describe("the suite's gRPC messages match those of this family's clients", () => {
  it.each(Object.entries({ ...messages, ...enums }))("%s", (name, expected) => {
    const desc = used.get(name);
    expect(desc === undefined ? "not used by any service" : textOf(desc)).toBe(expected);
  });

  it("v1 has their methods, all unary", () => {
    const methods = services.flatMap((service) =>
      service.methods.map(({ name, methodKind }) => [`${nameOf(service)}/${name}`, methodKind] as const),
    );
    expect(methods).toEqual(expect.arrayContaining(v1Methods.map((name) => [name, "unary"])));
  });

  it("requests and responses follow their pattern", () => {
    const v2 = [...used.keys()].filter((name) => name.includes(".v2beta1.") && !(name in messages));
    const found = v2.flatMap((name) => {
      const desc = used.get(name) as DescMessage;
      return patterns.flatMap(([pattern, text]) => {
        const resource = pattern.exec(desc.name)?.[1];
        return resource === undefined ? [] : [{ name, actual: textOf(desc), expected: text(resource) }];
      });
    });
    expect(found.map(({ name, actual }) => ({ name, actual }))).toEqual(
      found.map(({ name, expected }) => ({ name, actual: expected })),
    );
    // Get, Delete, List, Create, Update: advisories are read-only, and tags have no Update.
    expect(found).toHaveLength(10 + 9 + 10 + 9 + 8);
  });
});
