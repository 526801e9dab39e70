import type { ExternalRole } from "./permission-resources.ts";

/** The roles beyond this number are not shared. A platform has a few dozen. */
const maxRoles = 10_000;

/**
 * Roles as the sessions of one platform see them, each once in memory. Every session lists all roles that it can see, the
 * built-in ones included, and most of its memory would be their capabilities.
 */
export class SharedRoles {
  readonly #roles = new Map<string, ExternalRole>();
  readonly #capabilities = new WeakMap<ExternalRole, ReadonlySet<string>>();

  /** @returns a role with the same content that was shared before, or else `role`. */
  share(role: ExternalRole): ExternalRole {
    const known = this.#roles.get(role.uid);
    if (known !== undefined && isEqual(known, role)) return known;
    if (known !== undefined || this.#roles.size < maxRoles) this.#roles.set(role.uid, role);
    return role;
  }

  /** The capabilities of a role. */
  capabilitiesOf(role: ExternalRole): ReadonlySet<string> {
    const known = this.#capabilities.get(role);
    if (known !== undefined) return known;
    const capabilities = new Set(role.capabilities);
    this.#capabilities.set(role, capabilities);
    return capabilities;
  }
}

function isEqual(a: ExternalRole, b: ExternalRole): boolean {
  return (
    a.name === b.name &&
    a.capabilities.length === b.capabilities.length &&
    a.capabilities.every((capability, index) => capability === b.capabilities[index])
  );
}
