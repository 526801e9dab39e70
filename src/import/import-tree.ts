import { apiVersion } from "#src/api/custom-resource.ts";
import type { Authentication } from "#src/api/identity.ts";
import { groupKind } from "#src/kinds/group.ts";
import { type ExternalIdentity, identityKind } from "#src/kinds/identity.ts";
import type { Fields, Kind } from "#src/kinds/kind.ts";
import { objectHash, withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";
import { authenticationOf } from "./authentication-of.ts";
import { declarableFields } from "./declarable-fields.ts";
import { declareRoleBindings, findObstacles } from "./declare-role-bindings.ts";
import { Declarations } from "./declarations.ts";
import type { ExistingTree } from "./existing-tree.ts";
import { folderTree } from "./folder-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { isCredential } from "./is-credential.ts";
import type { ImportedTree, ImportOutcome } from "./imported-tree.ts";
import { markerOrigin } from "./marker-origin.ts";
import { TenantLimits } from "./tenant-limits.ts";

/** A resource with a marker, and what an object of its kind would say about it. */
interface Candidate {
  readonly kind: Kind;
  readonly resource: { readonly uid: string; readonly name: string; readonly description: string };
  /** The fields that no object can leave out. */
  readonly base: Fields;
  /** The other ones. */
  readonly fields: Fields;
  /** Why other fields are missing. */
  readonly missing: readonly string[];
  /** Why it must not be adopted. */
  readonly obstacles: readonly string[];
}

/**
 * Manifests for what exists in a group and below it, each as small as it can be. Names, folders and their order follow from the
 * resources alone: the same tree gives the same manifests, and a resource that is added changes no name.
 *
 * **Guarantees.** Each manifest is valid for the schema of its kind. Every resource of the tree has an object, or is in `exceptions`.
 */
export function importTree(tree: ExistingTree, options: ImportOptions): ImportedTree {
  const { namespace, breakGlass } = options;
  const root = tree.group.uid;
  const declarations = new Declarations(options);
  const identities = sorted(tree.identities).map((identity) => ({ identity, authentication: validOf(identity) }));
  const bindings = findObstacles(tree, options);
  const needs = {
    ...options,
    group: root,
    breakGlass: breakGlass.filter((uid) => tree.identities.some((identity) => identity.uid === uid)),
    roles: bindings.flatMap(({ binding, obstacle }) => (obstacle === undefined ? [binding.role] : [])),
  };
  const wanted = identities.map(({ authentication }) => authentication);
  const everything = new TenantLimits({ ...needs, authentications: wanted });
  const permitted = wanted.filter((one) => everything.denialOf(one) === undefined);
  // What is not permitted nevertheless needs nothing of the Tenant, and what only that would have permitted is not permitted either.
  const limits = new TenantLimits({ ...needs, authentications: permitted });

  declareRoot(tree, declarations);
  for (const group of sorted(tree.groups)) {
    const base = { ...declarations.reference("parent", parentOf(group.uid) ?? root), uid: group.uid };
    const candidate = { kind: groupKind, resource: group, base, fields: textsOf(group), missing: [], obstacles: [] };
    declare(candidate, declarations, options);
  }
  const excess = grantsInExcess(tree, limits);
  for (const { identity, authentication } of identities) {
    const denial = everything.denialOf(authentication) ?? limits.denialOf(authentication);
    const method = denial === undefined ? authenticationOf(identity) : {};
    const isUnknown = denial === undefined && Object.keys(method).length === 0;
    const candidate = {
      kind: identityKind,
      resource: identity,
      base: { ...declarations.reference("group", parentOf(identity.uid) ?? root), uid: identity.uid },
      fields: { ...textsOf(identity), ...method },
      missing: [...(denial === undefined ? [] : [denial]), ...(isUnknown ? ["no field says who may assume it"] : [])],
      obstacles: obstaclesOf(identity, options, excess),
    };
    declare(candidate, declarations, options);
  }
  declareRoleBindings(bindings, limits, declarations, options);
  for (const other of tree.others) declarations.except({ ...other, outcome: "left out" });
  return {
    namespace,
    tenant: { apiVersion, kind: "Tenant", metadata: { name: namespace }, spec: limits.spec },
    folder: folderTree(tree, declarations, options),
    exceptions: declarations.exceptions,
  };
}

/** The group of the import is the Tenant's own, which can only be observed. What others change about it is theirs. */
function declareRoot({ group: { uid, name } }: ExistingTree, declarations: Declarations): void {
  const metadata = { name: declarations.nameOf("Group", name, "group", uid) };
  declarations.add(uid, uid, { kind: "Group", metadata, spec: { uid, policy: { management: "Observe" } } });
}

/** Declares a resource as far as that is possible, and reports the rest. */
function declare(candidate: Candidate, declarations: Declarations, { adopt, owners }: ImportOptions): void {
  const { kind, resource, base, fields, missing, obstacles } = candidate;
  const { uid } = resource;
  const { specSchema } = kind.definition;
  const name = declarations.nameOf(kind.name, resource.name, kind.noun, uid);
  const except = (outcome: ImportOutcome, reasons: readonly string[]) =>
    declarations.except({ noun: kind.noun, uid, name: resource.name, outcome, reason: reasons.join("; ") });
  const origin = markerOrigin(resource, owners, objectHash(kind.name, declarations.namespace, name));
  if (origin === "otherObject")
    return except("left out", ["it carries the marker of another object of this owner, which declares it already"]);
  const observed = { policy: { management: "Observe" } };
  const declarable = declarableFields(specSchema, { ...base, ...observed }, fields);
  if (declarable === undefined) return except("left out", ["its uid is longer than a manifest may have"]);
  const incomplete = [...missing, ...declarable.omitted];
  const foreign = origin === "otherOwner" ? ["it carries the marker of another owner"] : [];
  const reasons = [...foreign, ...obstacles, ...incomplete];
  const adopts = adopt && reasons.length === 0;
  if (adopt && !adopts) except("observed", reasons);
  else if (incomplete.length > 0) except("in part", incomplete);
  const spec = { ...base, ...declarable.fields, ...(adopts ? {} : observed) };
  const folder = kind.name === groupKind.name ? uid : (parentOf(uid) ?? uid);
  declarations.add(uid, folder, { kind: kind.name, metadata: { name }, spec });
}

/** The name, and the description that people see. An empty one is left as it is. */
function textsOf({ name, description }: Candidate["resource"]): Fields {
  const text = withoutMarker(description);
  return { name, ...(text === "" ? {} : { description: text }) };
}

/** Who may assume an identity, if the schema accepts it. */
function validOf(identity: ExternalIdentity): Authentication {
  const authentication = authenticationOf(identity);
  const base = { groupUid: parentOf(identity.uid), policy: { management: "Observe" } };
  const valid = declarableFields(identityKind.definition.specSchema, base, { ...authentication });
  return valid?.fields ?? {};
}

/** Why the operator would not adopt an identity. */
function obstaclesOf(
  { uid, description }: ExternalIdentity,
  { breakGlass }: ImportOptions,
  excess: ReadonlyMap<string, string>,
): readonly string[] {
  const held = excess.get(uid);
  return [
    ...(breakGlass.includes(uid) ? ["it is for emergencies"] : []),
    ...(isCredential(description) ? ["it is the credential of an operator"] : []),
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
