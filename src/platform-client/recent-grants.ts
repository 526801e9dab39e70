import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { PlatformApi } from "./api.ts";
import { listAll } from "./list-all.ts";
import { type ExternalRoleBinding, roleBindings } from "./permission-resources.ts";

/** The identity, or the role, of the role bindings to read. */
export type GrantsOf = { readonly identity: string } | { readonly role: string };

/** The role bindings of an identity or of a role, wherever they can be seen. */
export interface Grants {
  readonly readAt: MonotonicTime;
  readonly bindings: readonly ExternalRoleBinding[];
}

/** How long role bindings are kept after they were read. */
const retentionMs = minutes(5);

/** What was read of the role bindings of single identities and roles within the last minutes. */
export class RecentGrants {
  readonly #grants = new Map<string, Grants>();

  /**
   * Reads the role bindings of an identity or of a role.
   * @param confirm rejects if what the list lacks may exist nevertheless.
   * @throws {PlatformFailure}
   */
  async read(
    api: PlatformApi,
    clock: Clock,
    of: GrantsOf,
    confirm: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const readAt = clock.monotonic();
    const { resources } = await listAll(api, roleBindings, { filter: { ...of } }, signal);
    await confirm();
    for (const [one, grants] of this.#grants) if (grants.readAt < readAt - retentionMs) this.#grants.delete(one);
    const bindings = resources.filter(({ identity, role }) =>
      "role" in of ? role.uid === of.role : identity.uid === of.identity,
    );
    this.#grants.set("role" in of ? of.role : of.identity, { readAt, bindings });
  }

  /** @param uid of the identity or of the role. */
  of(uid: string): Grants | undefined {
    return this.#grants.get(uid);
  }
}
