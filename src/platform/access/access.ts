import { notFound, permissionDenied } from "../errors/api-error.ts";
import { isWithin } from "../contract/uid.ts";
import { type Capability, dottedNameOf } from "./capability.ts";
import type { Downscoping } from "./caller.ts";

/** Capabilities that hold in a group and in every group below it. */
export interface Grant {
  readonly group: string;
  readonly capabilities: ReadonlySet<Capability>;
}

/** The roots of the parts of the tree where something holds: none within another. */
export type Coverage = "everywhere" | readonly string[];

/** What a caller may do where, as it is now. Pure: made from grants, asked about uids. */
export class Access {
  readonly #grants: readonly Grant[] | "everything";

  /** @param grants "everything" for the platform's admin */
  constructor(grants: readonly Grant[] | "everything") {
    this.#grants = grants;
  }

  /** Whether the caller holds the capability at `uid`: a group, or something in one. */
  can(capability: Capability, uid: string): boolean {
    if (this.#grants === "everything") return true;
    return this.#grants.some((grant) => grant.capabilities.has(capability) && isWithin(grant.group, uid));
  }

  /** Whether the caller can see `uid`: to see is to hold any capability there. */
  sees(uid: string): boolean {
    if (this.#grants === "everything") return true;
    return this.#grants.some((grant) => grant.capabilities.size > 0 && isWithin(grant.group, uid));
  }

  /** The first of the capabilities that the caller lacks at `uid`: nobody can give what they do not have. */
  missing(capabilities: Iterable<Capability>, uid: string): Capability | undefined {
    for (const capability of capabilities) if (!this.can(capability, uid)) return capability;
    return undefined;
  }

  /** Where the caller holds the capability. */
  coverage(capability: Capability): Coverage {
    if (this.#grants === "everything") return "everywhere";
    return outermost(this.#grants.filter((grant) => grant.capabilities.has(capability)).map(({ group }) => group));
  }

  /**
   * @param at where the capability is needed: the resource itself, or the parent of one that is made
   * @param type what `at` is, for the error
   * @throws ApiError 7 where the caller sees `at` but may not, 5 where it does not even see it
   */
  require(capability: Capability, at: string, type: string): void {
    if (this.can(capability, at)) return;
    if (!this.sees(at)) throw notFound(type, at);
    throw permissionDenied(`${dottedNameOf(capability)} is needed on ${type} "${at}"`);
  }

  /**
   * @param purpose what the capabilities would be given to, for the error
   * @throws ApiError 7 where the caller lacks one of them at `at`
   */
  requireAll(capabilities: Iterable<Capability>, at: string, purpose: string): void {
    const lacking = this.missing(capabilities, at);
    if (lacking !== undefined)
      throw permissionDenied(`${purpose} needs ${dottedNameOf(lacking)} in "${at}", which the caller does not have`);
  }
}

/** A token's own limits, applied to what the identity's bindings give. */
export function downscope(grants: readonly Grant[], { capabilities, groups }: Downscoping): readonly Grant[] {
  let downscoped = grants;
  if (groups !== undefined)
    downscoped = downscoped.flatMap((grant) =>
      groups.flatMap((group): Grant[] => {
        if (isWithin(grant.group, group)) return [{ ...grant, group }];
        return isWithin(group, grant.group) ? [grant] : [];
      }),
    );
  if (capabilities === undefined) return downscoped;
  return downscoped.map((grant) => ({
    ...grant,
    capabilities: new Set([...grant.capabilities].filter((one) => capabilities.has(one))),
  }));
}

/** The uids that are within no other of them, in byte order. */
export function outermost(uids: readonly string[]): readonly string[] {
  const roots: string[] = [];
  // "/" sorts before every hex digit, so in byte order a subtree stands in one piece right behind its root.
  for (const uid of uids.toSorted()) {
    const last = roots.at(-1);
    if (last === undefined || !isWithin(last, uid)) roots.push(uid);
  }
  return roots;
}
