import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import { accountAssociationKind, type ExternalAccountAssociation } from "#src/kinds/account-association.ts";
import { declarableFields } from "./declarable-fields.ts";
import type { Declarations } from "./declarations.ts";
import { declaredElsewhere, declareResource } from "./declare-resource.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { linkedAccountsOf, repeatedInstallation } from "./linked-accounts-of.ts";

/** An account association, and the accounts that its object can name. */
export interface CheckedAssociation {
  readonly association: ExternalAccountAssociation;
  /** All accounts, or none: the operator compares them as a whole. */
  readonly accounts: LinkedAccounts;
  /** Why the accounts are left out. */
  readonly mistakes: readonly string[];
}

/** The account associations of a tree, ordered by uid. Accounts that no object can name need nothing of the Tenant. */
export function checkAssociations(
  { accountAssociations }: ExistingTree,
  declarations: Declarations,
  { owners }: ImportOptions,
): readonly CheckedAssociation[] {
  return accountAssociations
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
    .map((association) => {
      const declared = declaredElsewhere(accountAssociationKind, association, declarations, owners);
      const accounts = declared === undefined ? linkedAccountsOf(association) : {};
      const mistakes = mistakesIn(association, accounts);
      return { association, accounts: mistakes.length === 0 ? accounts : {}, mistakes };
    });
}

function mistakesIn({ uid, name }: ExternalAccountAssociation, accounts: LinkedAccounts): readonly string[] {
  const repeated = repeatedInstallation(accounts);
  if (repeated !== undefined) return [`spec.github.apps: an App has the installation ${repeated} twice`];
  const base = { groupUid: uid, name, policy: { management: "Observe" } };
  const valid = declarableFields(accountAssociationKind.definition.specSchema, base, { ...accounts });
  return "mistake" in valid ? [valid.mistake] : valid.omitted;
}

/**
 * Declares account associations.
 * @param denials why the Tenant does not permit the accounts of each; undefined if it does
 */
export function declareAccountAssociations(
  associations: readonly CheckedAssociation[],
  denials: readonly (string | undefined)[],
  declarations: Declarations,
  options: ImportOptions,
): void {
  for (const [index, { association, accounts, mistakes }] of associations.entries()) {
    const denial = denials[index];
    const missing = [...mistakes, ...(denial === undefined ? [] : [denial])];
    const isEmpty = missing.length === 0 && Object.keys(accounts).length === 0;
    const candidate = {
      kind: accountAssociationKind,
      resource: association,
      fields: missing.length === 0 ? { ...accounts } : {},
      missing,
      obstacles: isEmpty ? ["it has no account, and an object that manages one must name one"] : [],
    };
    declareResource(candidate, declarations, options);
  }
}
