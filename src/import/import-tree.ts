import { apiVersion } from "#src/api/custom-resource.ts";
import type { Fields } from "#src/kinds/fields.ts";
import { groupKind } from "#src/kinds/group.ts";
import { checkAssociations, declareAccountAssociations } from "./declare-account-associations.ts";
import { checkIdentities, declareIdentities } from "./declare-identities.ts";
import { declareIdentityProviders, findProviders } from "./declare-identity-providers.ts";
import { declaredBy, declareResource } from "./declare-resource.ts";
import { declareRoleBindings, checkRoleBindings } from "./declare-role-bindings.ts";
import { checkRoles, declareOtherRoles, declarePermittedRoles } from "./declare-roles.ts";
import { Declarations } from "./declarations.ts";
import { DeclaredResources } from "./declared-resources.ts";
import type { ExistingTree } from "./existing-tree.ts";
import { folderTree } from "./folder-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportedTree } from "./imported-tree.ts";
import { ProtectedIdentities } from "./protected-identities.ts";
import { findLimits, isBuiltIn, type TenantLimits } from "./tenant-limits.ts";

/**
 * Manifests for what exists in a group and below it, each as small as it can be. Names, folders and their order follow from the
 * resources alone: the same tree gives the same manifests, and a resource that is added changes no name.
 *
 * **Guarantees.** Each manifest is valid for the schema of its kind. Every resource of the tree has an object, or is in `exceptions`.
 */
export function importTree(tree: ExistingTree, options: ImportOptions): ImportedTree {
  const { namespace } = options;
  const cluster = new DeclaredResources(options.cluster, builtInRoles(tree));
  const declarations = new Declarations(options, cluster);
  const protectedIdentities = new ProtectedIdentities(tree, options);
  const identities = checkIdentities(tree, declarations, options);
  const declared = new Set(identities.flatMap(({ identity, isDeclared }) => (isDeclared ? [identity.uid] : [])));
  const bindings = checkRoleBindings(tree, protectedIdentities, declared, declarations);
  const providers = findProviders(tree, declarations, options);
  const associations = checkAssociations(tree, declarations, options);
  const bound = bindings.flatMap(({ binding, needsRole }) => (needsRole ? [binding.role] : []));
  const given = providers.map(({ role }) => role);
  const roles = checkRoles(tree, [...bound, ...given], protectedIdentities, declarations);

  declareRoot(tree, declarations);
  for (const resource of sorted(tree.groups)) declareResource({ kind: groupKind, resource }, declarations, options);
  const declaredRoles = declarePermittedRoles(roles, declarations, options);
  const needs = {
    ...options,
    group: tree.group.uid,
    // A provider names its role by the uid, which the Tenant lists.
    roles: [...bound.filter(({ uid }) => !declaredRoles.has(uid)), ...given],
    declaredRoles,
    vouching: providers.map(({ provider }) => provider.oidc.issuer),
  };
  const { limits, denials, accountDenials } = findLimits(
    needs,
    identities.map(({ authentication }) => authentication),
    associations.map(({ accounts }) => accounts),
  );
  declareIdentities(identities, { tree, protectedIdentities, limits, denials }, declarations, options);
  declareOtherRoles(roles, limits, declarations, options);
  declareRoleBindings(bindings, limits, declarations, options);
  declareIdentityProviders(providers, limits, declarations, options);
  declareAccountAssociations(associations, accountDenials, declarations, options);
  exceptOthers(tree, cluster, declarations);
  return {
    namespace,
    tenant: {
      apiVersion,
      kind: "Tenant",
      metadata: { name: namespace },
      spec: tenantSpec(tree, limits, declarations, options),
    },
    folder: folderTree(tree, declarations, options),
    exceptions: declarations.exceptions,
    secrets: declarations.secrets,
  };
}

/** The spec of the Tenant, without what the API server fills in. */
function tenantSpec(
  { identities }: ExistingTree,
  { spec }: TenantLimits,
  { kinds, adoptedKinds }: Declarations,
  { breakGlass, operatorClass }: ImportOptions,
): Fields {
  const inTree = new Set(identities.map(({ uid }) => uid));
  const emergencies = breakGlass.filter((uid) => inTree.has(uid)).toSorted();
  return {
    ...spec,
    kinds: [...kinds].toSorted(),
    ...(adoptedKinds.size === 0 ? {} : { adopt: [...adoptedKinds].toSorted() }),
    ...(emergencies.length === 0 ? {} : { breakGlass: emergencies }),
    ...(operatorClass === undefined ? {} : { class: operatorClass }),
  };
}

/** The uids of the built-in roles by their names. */
function builtInRoles({ rolesElsewhere }: ExistingTree): ReadonlyMap<string, string> {
  return new Map(rolesElsewhere.filter(({ uid }) => isBuiltIn(uid)).map(({ name, uid }) => [name, uid]));
}

/** The group of the import is the Tenant's own, which can only be observed. What others change about it is theirs. */
function declareRoot({ group: { uid, name } }: ExistingTree, declarations: Declarations): void {
  const metadata = { name: declarations.nameOf("Group", name, "group", uid) };
  declarations.add(uid, uid, { kind: "Group", metadata, spec: { uid, policy: { management: "Observe" } } });
}

/** What no object of the import can declare. */
function exceptOthers({ others }: ExistingTree, cluster: DeclaredResources, declarations: Declarations): void {
  for (const { kind, reason, ...other } of others) {
    const object = cluster.objectOf(kind, other.uid);
    declarations.except({ ...other, outcome: "left out", reason: object === undefined ? reason : declaredBy(object) });
  }
}

function sorted<T extends { readonly uid: string }>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
}
