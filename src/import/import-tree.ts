import { apiVersion } from "#src/api/custom-resource.ts";
import type { Authentication } from "#src/api/identity.ts";
import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import { groupKind } from "#src/kinds/group.ts";
import { type ExternalIdentity, identityKind } from "#src/kinds/identity.ts";
import type { Fields } from "#src/kinds/kind.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { authenticationOf } from "./authentication-of.ts";
import { declarableFields } from "./declarable-fields.ts";
import { checkAssociations, declareAccountAssociations } from "./declare-account-associations.ts";
import { declareIdentityProviders, findProviders } from "./declare-identity-providers.ts";
import { declaredBy, declaredElsewhere, declareResource } from "./declare-resource.ts";
import { declareRoleBindings, checkRoleBindings } from "./declare-role-bindings.ts";
import { checkRoles, declareOtherRoles, declarePermittedRoles } from "./declare-roles.ts";
import { Declarations } from "./declarations.ts";
import { DeclaredResources } from "./declared-resources.ts";
import type { ExistingTree } from "./existing-tree.ts";
import { folderTree } from "./folder-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportedTree } from "./imported-tree.ts";
import { ProtectedIdentities } from "./protected-identities.ts";
import { isBuiltIn, TenantLimits, type TenantNeeds } from "./tenant-limits.ts";

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
  const identities = sorted(tree.identities).map((identity) => {
    // What another object declares needs nothing of the Tenant.
    const declared = declaredElsewhere(identityKind, identity, declarations, options.owners);
    return { identity, declared, authentication: declared === undefined ? validOf(identity) : {} };
  });
  const declaredIdentities = identities.flatMap(({ identity, declared }) =>
    declared === undefined ? [] : identity.uid,
  );
  const bindings = checkRoleBindings(tree, protectedIdentities, new Set(declaredIdentities), declarations);
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
  const excess = grantsInExcess(tree, limits);
  for (const [index, { identity }] of identities.entries()) {
    const denial = denials[index];
    const method = denial === undefined ? authenticationOf(identity) : {};
    const isUnknown = denial === undefined && Object.keys(method).length === 0;
    const candidate = {
      kind: identityKind,
      resource: identity,
      fields: method,
      missing: [...(denial === undefined ? [] : [denial]), ...(isUnknown ? ["no field says who may assume it"] : [])],
      obstacles: obstaclesOf(identity, protectedIdentities, excess),
    };
    declareResource(candidate, declarations, options);
  }
  declareOtherRoles(roles, limits, declarations, options);
  declareRoleBindings(bindings, limits, declarations, options);
  declareIdentityProviders(providers, limits, declarations, options);
  declareAccountAssociations(associations, accountDenials, declarations, options);
  for (const { kind, reason, ...other } of tree.others) {
    const object = cluster.objectOf(kind, other.uid);
    declarations.except({ ...other, outcome: "left out", reason: object === undefined ? reason : declaredBy(object) });
  }
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

/** The limits of the Tenant, and why they do not permit some of the ways in which identities are assumed, or some of the accounts. */
function findLimits(
  needs: Omit<TenantNeeds, "authentications" | "linked">,
  authentications: readonly Authentication[],
  linked: readonly LinkedAccounts[],
) {
  const everything = new TenantLimits({ ...needs, authentications, linked });
  const denials = authentications.map((one) => everything.denialOf(one));
  const accountDenials = linked.map((one) => everything.denialOfAccounts(one));
  if ([...denials, ...accountDenials].every((denial) => denial === undefined))
    return { limits: everything, denials, accountDenials };
  // What is not permitted nevertheless needs nothing of the Tenant, and what only that would have permitted is not permitted either.
  const limits = new TenantLimits({
    ...needs,
    authentications: authentications.filter((_, index) => denials[index] === undefined),
    linked: linked.filter((_, index) => accountDenials[index] === undefined),
  });
  return {
    limits,
    denials: authentications.map((one, index) => denials[index] ?? limits.denialOf(one)),
    accountDenials: linked.map((one, index) => accountDenials[index] ?? limits.denialOfAccounts(one)),
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

/** Who may assume an identity, if the schema accepts it. */
function validOf(identity: ExternalIdentity): Authentication {
  const authentication = authenticationOf(identity);
  const base = { groupUid: parentOf(identity.uid), policy: { management: "Observe" } };
  const valid = declarableFields(identityKind.definition.specSchema, base, { ...authentication });
  return "mistake" in valid ? {} : valid.fields;
}

/** Why the operator would not adopt an identity. */
function obstaclesOf(
  { uid }: ExternalIdentity,
  protectedIdentities: ProtectedIdentities,
  excess: ReadonlyMap<string, string>,
): readonly string[] {
  const protection = protectedIdentities.protectionOf(uid);
  const held = excess.get(uid);
  return [
    ...(protection === "emergency" ? ["it is for emergencies"] : []),
    ...(protection === "credential" ? ["it is the credential of an operator"] : []),
    ...(held === undefined ? [] : [held]),
  ];
}

/** Of each identity that holds more than the Tenant may bind, what. Whoever adopts it could use that. */
function grantsInExcess(
  { group, roleBindings, roleBindingsElsewhere }: ExistingTree,
  limits: TenantLimits,
): ReadonlyMap<string, string> {
  const isExcess = ({ uid, role }: ExternalRoleBinding) =>
    !isWithin(parentOf(uid) ?? "", group.uid) || !limits.permitsRole(role);
  return new Map(
    [...roleBindings, ...roleBindingsElsewhere]
      .filter(isExcess)
      .toSorted((one, other) => (one.uid > other.uid ? -1 : 1))
      .map(({ uid, identity, role }) => [
        identity.uid,
        `it holds the role ${role.name || role.uid} in ${parentOf(uid) ?? ""}, which the Tenant may not bind`,
      ]),
  );
}

function sorted<T extends { readonly uid: string }>(resources: readonly T[]): readonly T[] {
  return resources.toSorted((one, other) => (one.uid < other.uid ? -1 : 1));
}
