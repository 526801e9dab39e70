import { isWithin } from "../contract/uid.ts";
import { type ApiError, notFound, permissionDenied } from "../errors/api-error.ts";
import { type Capability, dottedNameOf } from "./capability.ts";
import { type Grant, gives, outermost } from "./grant.ts";

/** The parts of the tree where a capability is held, as the uids of their roots. None is within another. */
export type Coverage = "everywhere" | readonly string[];

/** The permissions of a caller in one transaction. Pure: built from grants, queried by uid. */
export class Access {
  readonly #grants: readonly Grant[] | "everything";

  /** @param grants "everything" for the admin */
  constructor(grants: readonly Grant[] | "everything") {
    this.#grants = grants;
  }

  /** Whether the caller holds the capability on `uid`: a group or a resource in one. */
  can(capability: Capability, uid: string): boolean {
    if (this.#grants === "everything") return true;
    return this.#grants.some((grant) => gives(grant, capability, uid));
  }

  /** Whether the caller can see `uid`, which means that it holds any capability there. */
  sees(uid: string): boolean {
    if (this.#grants === "everything") return true;
    return this.#grants.some((grant) => grant.capabilities.size > 0 && isWithin(grant.group, uid));
  }

  /** The first of the capabilities that the caller does not hold on `uid`. A caller cannot grant what it does not hold. */
  missing(capabilities: Iterable<Capability>, uid: string): Capability | undefined {
    for (const capability of capabilities) if (!this.can(capability, uid)) return capability;
    return undefined;
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

function deniedOn(uid: string, description: string): ApiError {
  const error = permissionDenied(description);
  error.about = uid;
  return error;
}
