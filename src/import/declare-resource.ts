import type { Fields } from "#src/kinds/fields.ts";
import { groupKind } from "#src/kinds/group.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { carriedMarker, objectHash, objectOf, ownerOf, withoutMarker } from "#src/kinds/marker.ts";
import { declarableFields } from "./declarable-fields.ts";
import type { Declarations } from "./declarations.ts";
import type { ObjectName } from "./declared-resources.ts";
import type { ImportOptions } from "./import-options.ts";
import type { ImportOutcome } from "./imported-tree.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/** A resource with a name and a marker. */
interface MarkedResource {
  readonly uid: string;
  readonly name: string;
  readonly description: string;
}

/** A resource with a marker, and what an object of its kind would say about it. */
export interface Candidate {
  readonly kind: Kind;
  readonly resource: MarkedResource;
  /** The fields that an object with this name cannot leave out, except the reference to the group and the uid. */
  readonly base?: (object: string) => Fields;
  /** The fields that an object can leave out, except the name and the description. */
  readonly fields?: Fields;
  /** Why fields are missing. */
  readonly missing?: readonly string[];
  /** Why it must not be adopted. */
  readonly obstacles?: readonly string[];
}

/**
 * Declares a resource as far as that is possible, and reports the rest.
 * @returns the name of its object; undefined if it is left out
 */
export function declareResource(
  { kind, resource, base: required = () => ({}), fields: more = {}, missing = [], obstacles = [] }: Candidate,
  declarations: Declarations,
  { adopt, owners }: ImportOptions,
): string | undefined {
  const { uid } = resource;
  const name = nameOf(kind, resource, declarations);
  const except = (outcome: ImportOutcome, reasons: readonly string[]) => {
    declarations.except({ noun: kind.noun, uid, name: resource.name, outcome, reason: reasons.join("; ") });
    return undefined;
  };
  const declared = declaredElsewhere(kind, resource, declarations, owners);
  if (declared !== undefined) return except("left out", [declared]);
  const { uids } = kind.collection;
  const parent = uids.parentOf(uid) ?? uid;
  const reference = declarations.reference(kind.name === groupKind.name ? "parent" : "group", groupKind.name, parent);
  // The group says which singleton is meant. Its object has no uid, and its name is always compared.
  const which = uids.isSingleton ? { name: resource.name } : { uid };
  const base = { ...reference, ...which, ...required(name) };
  const observed = { policy: { management: "Observe" } };
  const declarable = declarableFields(
    kind.definition.specSchema,
    { ...base, ...observed },
    { ...textsOf(resource), ...more },
  );
  if ("mistake" in declarable) return except("left out", [`no manifest can have this: ${declarable.mistake}`]);
  const incomplete = [...missing, ...declarable.omitted];
  const foreign =
    originOf(kind, resource, declarations, owners) === "otherOwner" ? ["it carries the marker of another owner"] : [];
  const reasons = [...foreign, ...obstacles, ...incomplete];
  const adopts = adopt && reasons.length === 0;
  if (adopt && !adopts) except("observed", reasons);
  else if (incomplete.length > 0) except("in part", incomplete);
  const adopting = uids.isSingleton ? { policy: { adoption: "IfExists" } } : {};
  const spec = { ...base, ...declarable.fields, ...(adopts ? adopting : observed) };
  const folder = kind.name === groupKind.name ? uid : parent;
  declarations.add(uid, folder, { kind: kind.name, metadata: { name }, spec }, adopts);
  return name;
}

/** Why a resource gets no object: another one of the same owner declares it already. Undefined if none does. */
export function declaredElsewhere(
  kind: Kind,
  resource: MarkedResource,
  declarations: Declarations,
  owners: ImportOptions["owners"],
): string | undefined {
  const object = declarations.declaredElsewhere(kind, resource, nameOf(kind, resource, declarations));
  if (object !== undefined) return declaredBy(object);
  return originOf(kind, resource, declarations, owners) === "otherObject"
    ? "it carries the marker of another object of this owner, which declares it already"
    : undefined;
}

/** Why a resource gets no object if one of the cluster declares it. */
export function declaredBy({ namespace, name }: ObjectName): string {
  return `declared by ${namespace}/${name}`;
}

/** Who manages a resource, with regard to the object that declares it. */
function originOf(
  kind: Kind,
  resource: MarkedResource,
  declarations: Declarations,
  owners: ImportOptions["owners"],
): MarkerOrigin {
  const object = objectHash(kind.name, declarations.namespace, nameOf(kind, resource, declarations));
  return markerOrigin(resource, owners, object);
}

function nameOf({ name, noun }: Kind, resource: MarkedResource, declarations: Declarations): string {
  return declarations.nameOf(name, resource.name, noun, resource.uid);
}

/** The name, and the description that people see. An empty one is left as it is. */
function textsOf({ name, description }: MarkedResource): Fields {
  const text = withoutMarker(description);
  return { name, ...(text === "" ? {} : { description: text }) };
}

/**
 * Who manages a resource:
 *
 * - `nobody`: it carries no marker.
 * - `this`: the object that the import declares for it.
 * - `otherObject`: another object of the same owner.
 * - `otherOwner`: another cluster, or an operator of another class.
 */
type MarkerOrigin = "nobody" | "this" | "otherObject" | "otherOwner";

/**
 * @param owners the hashes of the owner that imports, as `ownerHash` returns them
 * @param object the hash of the object that is to declare the resource, as `objectHash` returns it
 */
function markerOrigin(resource: ExternalResource, owners: readonly string[], object: string): MarkerOrigin {
  const marker = carriedMarker(resource);
  if (marker === undefined) return "nobody";
  if (!owners.includes(ownerOf(marker))) return "otherOwner";
  return objectOf(marker) === object ? "this" : "otherObject";
}
