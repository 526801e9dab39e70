import { isReady, kindRef, musterKinds } from "#test/support/harness/muster-objects.ts";
import type { KubeClient, KubeObject, KindRef, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { follow } from "#test/support/control-plane/follow.ts";

interface Expectation {
  readonly isMet: (object: KubeObject | undefined) => boolean;
  readonly resolve: (at: number) => void;
}

/**
 * Watches objects, of one namespace or of all. Its times are values of `performance.now()`, taken when the watch event
 * arrived.
 */
export class Observer {
  readonly #objects = new Map<string, KubeObject>();
  readonly #expectations = new Map<string, Expectation[]>();
  readonly #ended = new AbortController();
  readonly #failed = Promise.withResolvers<never>();

  constructor(client: KubeClient, namespace?: string) {
    // Reported to every caller that waits; there may be none yet.
    this.#failed.promise.catch(() => {});
    for (const kind of musterKinds) this.#follow(client, kindRef(kind), namespace).catch(this.#failed.reject);
  }

  /** The time at which the object was seen Ready with this generation. */
  ready(ref: ObjectRef, generation: number): Promise<number> {
    return this.when(ref, (object) => object?.metadata.generation === generation && isReady(object));
  }

  /** The time at which the object was seen deleted. The object must have existed. */
  gone(ref: ObjectRef): Promise<number> {
    return this.when(ref, (object) => object === undefined);
  }

  /** The time at which the object, or its absence, was seen to be as wanted. */
  when(ref: ObjectRef, isMet: (object: KubeObject | undefined) => boolean): Promise<number> {
    const key = keyOf(ref);
    if (isMet(this.#objects.get(key))) return Promise.resolve(performance.now());
    const met = new Promise<number>((resolve) => {
      this.#expectations.set(key, [...(this.#expectations.get(key) ?? []), { isMet, resolve }]);
    });
    const seen = Promise.race([met, this.#failed.promise]);
    // A failure rejects all waiting promises, and only the first is reported.
    seen.catch(() => {});
    return seen;
  }

  /** The number of objects that callers still wait for. */
  get waiting(): number {
    return this.#expectations.size;
  }

  stop(): void {
    this.#ended.abort();
  }

  async #follow(client: KubeClient, kind: KindRef, namespace: string | undefined): Promise<void> {
    for await (const { type, object } of follow(client, kind, namespace, this.#ended.signal))
      this.#update(keyOf(object), type === "DELETED" ? undefined : object);
  }

  #update(key: string, object: KubeObject | undefined): void {
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
    const expectations = this.#expectations.get(key);
    if (expectations === undefined) return;
    const now = performance.now();
    const remaining = expectations.filter((expectation) => !expectation.isMet(object));
    if (remaining.length === 0) this.#expectations.delete(key);
    else this.#expectations.set(key, remaining);
    for (const expectation of expectations) if (!remaining.includes(expectation)) expectation.resolve(now);
  }
}

function keyOf({ kind, metadata }: ObjectRef): string {
  return `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
}
