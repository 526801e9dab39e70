import { ancestorsOf, isWithin } from "../contract/uid.ts";
import { type ApiError, notFound, permissionDenied } from "../errors/api-error.ts";
import { type Capability, dottedNameOf } from "./capability.ts";
import { type Grant, outermost } from "./grant.ts";

/** The parts of the tree where a capability is held, as the uids of their roots. None is within another. */
export type Coverage = "everywhere" | readonly string[];

/** Up to this many grants, asking each of them takes less time than to group them. Most callers have one or two. */
const fewGrants = 8;

/** The permissions of a caller in one transaction. Pure: built from grants, queried by uid. */
export class Access {
  readonly #grants: readonly Grant[] | "everything";
  #byGroup: ReadonlyMap<string, ReadonlySet<Capability>> | undefined;

  /** @param grants "everything" for the admin */
  constructor(grants: readonly Grant[] | "everything") {
    this.#grants = grants;
  }

  /** Whether the caller holds the capability on `uid`: a group or a resource in one. */
  can(capability: Capability, uid: string): boolean {
    return this.#grants === "everything" || this.#heldOn(uid, this.#grants).some((held) => held.has(capability));
  }

  /** Whether the caller can see `uid`, which means that it holds any capability there. */
  sees(uid: string): boolean {
    return this.#grants === "everything" || this.#heldOn(uid, this.#grants).some((held) => held.size > 0);
  }

  /** The first of the capabilities that the caller does not hold on `uid`. A caller cannot grant what it does not hold. */
  missing(capabilities: Iterable<Capability>, uid: string): Capability | undefined {
    if (this.#grants === "everything") return undefined;
    const held = this.#heldOn(uid, this.#grants);
    for (const capability of capabilities) if (!held.some((some) => some.has(capability))) return capability;
    return undefined;
  }

  /**
   * The capabilities that the grants give on `uid`, in the sense of `gives`. Of many grants, it takes a look-up for each level of the tree,
   * not one for each grant: a caller with thousands of grants may have to be asked about thousands of uids.
   */
  #heldOn(uid: string, grants: readonly Grant[]): readonly ReadonlySet<Capability>[] {
    const held: ReadonlySet<Capability>[] = [];
    if (grants.length <= fewGrants) {
      for (const { group, capabilities } of grants) if (isWithin(group, uid)) held.push(capabilities);
      return held;
    }
    this.#byGroup ??= byGroup(grants);
    for (const group of [...ancestorsOf(uid), uid]) {
      const capabilities = this.#byGroup.get(group);
      if (capabilities !== undefined) held.push(capabilities);
    }
    return held;
  }

  /** Where in the tree the caller holds the capability. */
  coverage(capability: Capability): Coverage {
    if (this.#grants === "everything") return "everywhere";
    return outermost(this.#grants.filter((grant) => grant.capabilities.has(capability)).map(({ group }) => group));
  }

  /**
   * Requires the capability on `at`.
   * @param at the resource, or the parent of a resource that is created
   * @param type of `at`, for the error
   * @throws ApiError 7 if the caller sees `at` but does not hold the capability, 5 if it does not see `at`
   */
  require(capability: Capability, at: string, type: string): void {
    if (this.can(capability, at)) return;
    if (!this.sees(at)) throw notFound(type, at);
    throw deniedOn(at, `${dottedNameOf(capability)} is required on ${type} "${at}"`);
  }

  /**
   * Requires all of the capabilities on `at`.
   * @param purpose what the caller is doing, for the error
   * @throws ApiError 7 if the caller does not hold one of them
   */
  requireAll(capabilities: Iterable<Capability>, at: string, purpose: string): void {
    const missing = this.missing(capabilities, at);
    if (missing !== undefined)
      throw deniedOn(at, `${purpose} requires ${dottedNameOf(missing)} in "${at}", which the caller does not hold`);
  }
}

/** The capabilities that are granted in each group itself. Grants of one role share a set, which is not copied. */
function byGroup(grants: readonly Grant[]): ReadonlyMap<string, ReadonlySet<Capability>> {
  const all = new Map<string, ReadonlySet<Capability>>();
  for (const { group, capabilities } of grants) {
    const known = all.get(group);
    if (known !== capabilities) all.set(group, known === undefined ? capabilities : known.union(capabilities));
  }
  return all;
}

function deniedOn(uid: string, description: string): ApiError {
  const error = permissionDenied(description);
  error.about = uid;
  return error;
}
