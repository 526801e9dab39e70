import type { PlatformSession } from "#src/platform-client/session.ts";

/** An object whose last write to the platform failed. */
export interface FailedWrite {
  readonly kind: string;
  readonly key: string;
  readonly resourceUid: string;
}

/** Fewer objects may have a problem of their own. */
const minObjects = 3;

/**
 * Outages of writes only, such as a database that is read-only: the circuit does not see them, because its probe reads. The
 * objects back off each for itself; once one of them succeeds, the others need not wait any longer.
 *
 * Guarantees: the objects are returned only after writes of at least three of them failed without a success in between, so
 * that an object whose own write always fails is not retried because of others. At most one entry per object.
 */
export class WriteOutages {
  readonly #failed = new WeakMap<PlatformSession, Map<string, FailedWrite>>();

  /** A write failed for a reason that concerns the platform or the credential, not the object. */
  failed(session: PlatformSession, write: FailedWrite): void {
    const failed = this.#failed.get(session) ?? new Map<string, FailedWrite>();
    this.#failed.set(session, failed.set(`${write.kind} ${write.key}`, write));
  }

  /** A write succeeded. @returns the objects that can be retried now. */
  succeeded(session: PlatformSession): readonly FailedWrite[] {
    const failed = this.#failed.get(session);
    if (failed === undefined) return [];
    this.#failed.delete(session);
    return failed.size < minObjects ? [] : [...failed.values()];
  }
}
