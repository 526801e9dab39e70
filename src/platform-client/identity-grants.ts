import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { PlatformApi } from "./api.ts";
import { listAll } from "./list-all.ts";
import { type ExternalRoleBinding, roleBindings } from "./permission-resources.ts";

/** The role bindings of an identity, wherever they can be seen. */
export interface IdentityGrants {
  readonly readAt: MonotonicTime;
  readonly bindings: readonly ExternalRoleBinding[];
}

/** How long the role bindings of an identity are kept after they were read. */
const retentionMs = minutes(5);

/** What was read of the role bindings of single identities within the last minutes. */
export class RecentGrants {
  readonly #grants = new Map<string, IdentityGrants>();

  /**
   * Reads the role bindings of an identity.
   * @param confirm rejects if what the list lacks may exist nevertheless.
   * @throws {PlatformFailure}
   */
  async read(
    api: PlatformApi,
    clock: Clock,
    identity: string,
    confirm: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const readAt = clock.monotonic();
    const { resources } = await listAll(api, roleBindings, { filter: { identity } }, signal);
    await confirm();
    for (const [one, grants] of this.#grants) if (grants.readAt < readAt - retentionMs) this.#grants.delete(one);
    this.#grants.set(identity, { readAt, bindings: resources.filter((binding) => binding.identity.uid === identity) });
  }

  of(identity: string): IdentityGrants | undefined {
    return this.#grants.get(identity);
  }
}
