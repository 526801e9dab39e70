import type { CachedResource } from "./cached-resource.ts";
import type { MonotonicTime } from "./observed.ts";
import type { DeniedBy, KubeStepName, ReconcileState, Refusal } from "./reconcile-state.ts";
import { requestedReconcile } from "./requested-reconcile.ts";

/** Ending the delays reads all states: when thousands of objects are accepted again, once is enough. */
const endIntervalMs = 1_000;

/** Deletions are frequent after this many, with no longer gap between two of them. */
const deletionsAtOnce = 5;
const deletionGapMs = 250;

/** The states that this process remembers of the objects of one kind, by `namespace/name`. */
export class ReconcileStates {
  readonly #states = new Map<string, ReconcileState>();
  /**
   * The keys of those that wait, of those among them that wait because of roles, and of those to which Kubernetes refused something:
   * few of many, and asked for often.
   */
  readonly #waiting = new Set<string>();
  readonly #denied = new Set<string>();
  readonly #refused = new Set<string>();
  /** When objects were edited that have not been at rest since, and when the deletion was seen of those that are being deleted. */
  readonly #changed = new Map<string, MonotonicTime>();
  #lastDeletionAt: MonotonicTime | null = null;
  /** How many deletions were observed, each a moment after the one before it. */
  #deletionsInARow = 0;
  /** The steps and namespaces whose refusals were ended since `#endedSince`. */
  readonly #ended = new Set<string>();
  #endedSince: MonotonicTime = Number.NEGATIVE_INFINITY;

  /** Whether many objects are being deleted one after the other, as with a namespace. */
  get deletionsAreFrequent(): boolean {
    return this.#deletionsInARow > deletionsAtOnce;
  }

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
    const { uid = "", deletionTimestamp, generation = 0 } = cached.metadata;
    const previous = this.#states.get(key);
    const known: ReconcileState =
      previous?.resourceUid === uid
        ? previous
        : { resourceUid: uid, firstSeenAt: now, specSeenAt: now, generation, bornHere, corrections: [] };
    const requested = requestedReconcile(cached.metadata);
    const isNewRequest = requested !== undefined && known.request?.value !== requested;
    const isNewDeletion = deletionTimestamp !== undefined && known.deletionSeenAt === undefined;
    if (isNewDeletion) this.#noteDeletion(now);
    const isNewSpec = known.generation !== generation;
    if (known === previous && !isNewRequest && !isNewDeletion && !isNewSpec) return known;
    const state: ReconcileState = {
      ...known,
      ...(isNewRequest ? { request: { value: requested, seenAt: now } } : {}),
      ...(isNewDeletion ? { deletionSeenAt: now } : {}),
      ...(isNewSpec ? { specSeenAt: now, generation } : {}),
    };
    this.#set(key, state);
    if (isNewDeletion || isNewSpec) this.#changed.set(key, now);
    return state;
  }

  /** The object has nothing to do, or waits for something else than a call that failed: what was edited of it was looked at. */
  rest(key: string): void {
    const { deletionSeenAt, failure } = this.#states.get(key) ?? {};
    if (deletionSeenAt === undefined && failure === undefined) this.#changed.delete(key);
  }

  /**
   * At most `count` of the objects that were edited and have not been at rest since, or are being deleted, and when that was seen.
   * Those come first that were not taken for the longest time.
   */
  takeChanged(count: number): readonly (readonly [key: string, at: MonotonicTime])[] {
    const taken = Array.from(this.#changed.entries().take(count));
    for (const [key] of taken) this.#changed.delete(key);
    for (const [key, at] of taken) this.#changed.set(key, at);
    return taken;
  }

  #noteDeletion(now: MonotonicTime): void {
    const continues = this.#lastDeletionAt !== null && now < this.#lastDeletionAt + deletionGapMs;
    this.#deletionsInARow = continues ? this.#deletionsInARow + 1 : 1;
    this.#lastDeletionAt = now;
  }

  /** Changes the present state of the object with this uid. An object that was forgotten meanwhile stays forgotten. */
  update(key: string, resourceUid: string, change: (state: ReconcileState) => ReconcileState): void {
    const state = this.#states.get(key);
    if (state?.resourceUid === resourceUid) this.#set(key, change(state));
  }

  forget(key: string): void {
    this.#states.delete(key);
    this.#changed.delete(key);
    this.#waiting.delete(key);
    this.#denied.delete(key);
    this.#refused.delete(key);
  }

  #set(key: string, state: ReconcileState): void {
    this.#states.set(key, state);
    if (state.waitingSince === undefined) this.#waiting.delete(key);
    else this.#waiting.add(key);
    if (state.deniedBy === undefined) this.#denied.delete(key);
    else this.#denied.add(key);
    if (state.refusals === undefined) this.#refused.delete(key);
    else this.#refused.add(key);
  }

  /** Ends the delay after a failure, also after that of a call in flight: its cause has changed. */
  clearFailure(key: string): void {
    const state = this.#states.get(key);
    if (state === undefined) return;
    const { failure: _failure, causeChanges = 0, ...rest } = state;
    this.#set(key, { ...rest, causeChanges: causeChanges + 1 });
  }

  /** What Kubernetes refuses, by key and step. */
  *refusals(): Iterable<readonly [key: string, step: KubeStepName, refusal: Refusal]> {
    for (const key of this.#refused)
      for (const [step, refusal] of Object.entries(this.#states.get(key)?.refusals ?? {}))
        yield [key, step as KubeStepName, refusal];
  }

  /**
   * Ends the delays after refusals of `step` in `namespace`, at most once a second: Kubernetes accepted the step for
   * another object.
   * @returns the keys of the objects that can be retried now.
   */
  endRefusals(step: KubeStepName, namespace: string, now: MonotonicTime): string[] {
    const ended: string[] = [];
    if (now - this.#endedSince >= endIntervalMs) {
      this.#endedSince = now;
      this.#ended.clear();
    }
    const id = `${step} ${namespace}`;
    if (this.#ended.has(id)) return ended;
    this.#ended.add(id);
    for (const key of this.#refused) {
      const state = this.#states.get(key);
      const refusal = state?.refusals?.[step];
      if (state === undefined || refusal === undefined || refusal.retryAt <= now) continue;
      if (!key.startsWith(`${namespace}/`)) continue;
      this.#set(key, { ...state, refusals: { ...state.refusals, [step]: { ...refusal, retryAt: now } } });
      ended.push(key);
    }
    return ended;
  }

  /** The objects that are waiting because of roles that their resources hold, or because of who holds them. */
  *denied(): Iterable<readonly [key: string, deniedBy: DeniedBy]> {
    for (const key of this.#denied) {
      const deniedBy = this.#states.get(key)?.deniedBy;
      if (deniedBy !== undefined) yield [key, deniedBy];
    }
  }

  /** The objects that are waiting for something. */
  *waiting(): Iterable<readonly [key: string, state: ReconcileState]> {
    for (const key of this.#waiting) {
      const state = this.#states.get(key);
      if (state !== undefined) yield [key, state];
    }
  }
}
