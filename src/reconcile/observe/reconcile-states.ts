import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { statusBounds } from "#src/api/status.ts";
import type { CachedResource } from "./cached-resource.ts";
import type { MonotonicTime, ReconcileState } from "./observed.ts";

/** The states that this process remembers of the objects of one kind, by `namespace/name`. */
export class ReconcileStates {
  readonly #states = new Map<string, ReconcileState>();
  #lastDeletionAt: MonotonicTime | null = null;

  /** When the deletion of any of the objects was last observed; null if none was. */
  get lastDeletionAt(): MonotonicTime | null {
    return this.#lastDeletionAt;
  }

  /**
   * The state of `cached`, with what is observed of it now. An object that was deleted and created again starts with an
   * empty state.
   * @param bornHere for an object without a state: whether it was created while this process was the only leader.
   */
  get(key: string, cached: CachedResource, now: MonotonicTime, bornHere = false): ReconcileState {
    const { uid = "", annotations, deletionTimestamp, generation = 0 } = cached.metadata;
    const previous = this.#states.get(key);
    const known: ReconcileState =
      previous?.resourceUid === uid
        ? previous
        : { resourceUid: uid, firstSeenAt: now, specSeenAt: now, generation, bornHere, corrections: [] };
    // The status repeats the value, so it must fit there.
    const requested = annotations?.[reconcileRequestedAtAnnotation]?.slice(0, statusBounds.text);
    const isNewRequest = requested !== undefined && known.request?.value !== requested;
    const isNewDeletion = deletionTimestamp !== undefined && known.deletionSeenAt === undefined;
    if (isNewDeletion) this.#lastDeletionAt = now;
    const isNewSpec = known.generation !== generation;
    if (known === previous && !isNewRequest && !isNewDeletion && !isNewSpec) return known;
    const state: ReconcileState = {
      ...known,
      ...(isNewRequest ? { request: { value: requested, seenAt: now } } : {}),
      ...(isNewDeletion ? { deletionSeenAt: now } : {}),
      ...(isNewSpec ? { specSeenAt: now, generation } : {}),
    };
    this.#states.set(key, state);
    return state;
  }

  /** Replaces the state of an object. The state of an object that was forgotten meanwhile stays forgotten. */
  set(key: string, state: ReconcileState): void {
    if (this.#states.get(key)?.resourceUid === state.resourceUid) this.#states.set(key, state);
  }

  forget(key: string): void {
    this.#states.delete(key);
  }

  /** Ends the delay after a failure: its cause has changed. */
  clearFailure(key: string): void {
    const state = this.#states.get(key);
    if (state?.failure === undefined) return;
    const { failure: _failure, ...rest } = state;
    this.#states.set(key, rest);
  }

  /** The keys of the objects that are waiting for something. */
  *waiting(): Iterable<string> {
    for (const [key, state] of this.#states) if (state.waitingSince !== undefined) yield key;
  }
}
