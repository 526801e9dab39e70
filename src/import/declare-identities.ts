import type { Authentication } from "#src/api/identity.ts";
import { authenticationMethods, type ExternalIdentity, identityKind } from "#src/kinds/identity.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { declarableFields } from "./declarable-fields.ts";
import { declaredElsewhere, declareResource } from "./declare-resource.ts";
import type { Declarations } from "./declarations.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ProtectedIdentities } from "./protected-identities.ts";
import type { TenantLimits } from "./tenant-limits.ts";

/** An identity, and what the Tenant must permit so that an object can declare it. */
export interface CheckedIdentity {
  readonly identity: ExternalIdentity;
  /** Whether an object that exists declares it, so that the import does not. */
  readonly isDeclared: boolean;
  /** Who may assume it, if the schema accepts it. Empty for one that another object declares: it needs nothing of the Tenant. */
  readonly authentication: Authentication;
}

/** The identities of a tree, ordered by uid. */
export function checkIdentities(
  { identities }: ExistingTree,
  declarations: Declarations,
  { owners }: ImportOptions,
): readonly CheckedIdentity[] {
  return identities
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
    .map((identity) => {
      const isDeclared = declaredElsewhere(identityKind, identity, declarations, owners) !== undefined;
      return { identity, isDeclared, authentication: isDeclared ? {} : validOf(identity) };
    });
}

/**
 * Declares identities.
 * @param denials why the limits do not permit how each of them is assumed
 */
export function declareIdentities(
  identities: readonly CheckedIdentity[],
  {
    tree,
    protectedIdentities,
    limits,
    denials,
  }: {
    readonly tree: ExistingTree;
    readonly protectedIdentities: ProtectedIdentities;
    readonly limits: TenantLimits;
    readonly denials: readonly (string | undefined)[];
  },
  declarations: Declarations,
  options: ImportOptions,
): void {
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

/**
 * Who may assume an identity, as a spec says it; empty if the platform says it in a way that no spec has. The order of the
 * fields does not depend on the platform's.
 */
function authenticationOf(identity: ExternalIdentity): Authentication {
  const actual = identityKind.actual(identity, {});
  const set = authenticationMethods.filter((method) => actual[method] !== undefined);
  return Object.fromEntries(set.map((method) => [method, inOrder(actual[method])]));
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, field]) => [name, inOrder(field)]));
}
