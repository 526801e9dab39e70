import { isWithin } from "./uid.ts";

/**
 * The groups below which a session reads and writes: its roots, and the groups outside of them that others granted to those
 * who use the session. What the identity may do there is decided by the platform, as everywhere.
 */
export class SessionReach {
  readonly roots: readonly string[];
  /** As many as there are groups that somebody granted, and that are used. */
  readonly #extensions = new Set<string>();

  constructor(roots: readonly string[]) {
    this.roots = roots;
  }

  /** The roots, and the groups outside of them. */
  get groups(): readonly string[] {
    return [...this.roots, ...this.#extensions];
  }

  /** The groups outside of the roots. */
  get extensions(): ReadonlySet<string> {
    return this.#extensions;
  }

  /** Includes what is below `group`. */
  extendTo(group: string): void {
    if (this.rootAbove(group) === undefined) this.#extensions.add(group);
  }

  /** Excludes the extensions without a use. */
  retain(isUsed: (group: string) => boolean): void {
    for (const group of this.#extensions) if (!isUsed(group)) this.#extensions.delete(group);
  }

  /** The group of `groups` that `uid` is within; undefined outside of all of them. */
  rootAbove(uid: string): string | undefined {
    return this.groups.find((group) => isWithin(uid, group));
  }
}
