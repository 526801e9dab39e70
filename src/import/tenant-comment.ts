import { analyzePattern } from "#src/api/certain-pattern.ts";
import type { Authentication } from "#src/api/identity.ts";
import { refusalText } from "#src/api/refused-pattern.ts";
import type { TenantSpec } from "#src/api/tenant.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { GroupFolder, ImportedObject } from "./imported-tree.ts";

/**
 * What the manifest of a Tenant says of what it permits beyond what exists, because a Tenant cannot say less.
 * @param folder the objects that the Tenant permits
 */
export function tenantComment(spec: Fields, folder: GroupFolder): readonly string[] {
  const { claimIssuers = [], awsAccounts = [], identityTypes = [], kinds = [] }: Partial<TenantSpec> = spec;
  const prefixes = claimIssuers.flatMap(({ subjectPrefixes = [] }) => subjectPrefixes);
  const isOpen = claimIssuers.some(
    ({ subjects, subjectPrefixes }) => subjects === undefined && subjectPrefixes === undefined,
  );
  const isShared = awsAccounts.length > 0 && identityTypes.includes("Aws") && kinds.includes("AccountAssociation");
  const excess = [
    ...(prefixes.some((prefix) => /[\p{L}\p{N}]$/v.test(prefix))
      ? [
          "- subjectPrefixes: a prefix that ends within a word also permits longer words: repo:acme/shop also permits",
          "  repo:acme/shop2. Where all subjects go on with a delimiter, add it: repo:acme/shop:",
        ]
      : []),
    ...(isOpen
      ? [
          "- claimIssuers: an issuer without subjects and subjectPrefixes permits all of its subjects.",
          ...uncertainPatterns(folder).map((line) => `  ${line}`),
        ]
      : []),
    ...(isShared
      ? [
          "- awsAccounts: each account may be linked to a group, and may be that of identities, whichever of these exists.",
        ]
      : []),
  ];
  return excess.length === 0 ? [] : ["This permits more than exists, because a Tenant cannot say less:", ...excess];
}

/** The identities whose patterns the Tenant cannot limit to prefixes, because it is not certain with what their matches begin. */
function uncertainPatterns({ objects, folders }: GroupFolder): readonly string[] {
  return [...objects.flatMap(uncertainPattern), ...folders.flatMap(uncertainPatterns)];
}

function uncertainPattern({ kind, metadata, spec }: ImportedObject): readonly string[] {
  const { claimMatch }: Authentication = spec;
  const pattern = claimMatch?.subjectPattern;
  const analysis = pattern === undefined ? undefined : analyzePattern(pattern);
  if (analysis?.is !== "refused") return [];
  return [
    `${kind} ${metadata.name}: how matches of spec.claimMatch.subjectPattern begin is unknown, because`,
    `${refusalText(analysis.refusal)} Then import again.`,
  ];
}
