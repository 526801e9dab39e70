import type { TenantSpec } from "#src/api/tenant.ts";
import type { Fields } from "#src/kinds/kind.ts";

/** What the manifest of a Tenant says of what it permits beyond what exists, because a Tenant cannot say less. */
export function tenantComment(spec: Fields): readonly string[] {
  const { claimIssuers = [], awsAccounts = [], identityTypes = [], kinds = [] }: Partial<TenantSpec> = spec;
  const prefixes = claimIssuers.flatMap(({ subjectPrefixes = [] }) => subjectPrefixes);
  const isOpen = claimIssuers.some(
    ({ subjects, subjectPrefixes }) => subjects === undefined && subjectPrefixes === undefined,
  );
  const isShared = awsAccounts.length > 0 && identityTypes.includes("Aws") && kinds.includes("AccountAssociation");
  const excess = [
    ...(prefixes.some((prefix) => /[\p{L}\p{N}]$/v.test(prefix))
      ? [
          "- subjectPrefixes: a prefix that ends within a word permits longer words, too: repo:acme/shop also permits",
          "  repo:acme/shop2. Where all subjects go on with a delimiter, add it: repo:acme/shop:",
        ]
      : []),
    ...(isOpen ? ["- claimIssuers: an issuer without subjects and subjectPrefixes permits all of its subjects."] : []),
    ...(isShared
      ? [
          "- awsAccounts: each account may be linked to a group, and may be that of identities, whichever of these exists.",
        ]
      : []),
  ];
  return excess.length === 0 ? [] : ["This permits more than exists, because a Tenant cannot say less:", ...excess];
}
