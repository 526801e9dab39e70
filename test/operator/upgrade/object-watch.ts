import { follow } from "#test/support/control-plane/follow.ts";
import type { KindRef, KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, conditionOf, kindRef } from "#test/support/harness/muster-objects.ts";

/** Watches the objects of all kinds, and notes how each of them was written. */
export class ObjectWatch {
  readonly #objects = new Map<string, KubeObject>();
  readonly #writes = new Map<string, string[]>();
  readonly #ended = new AbortController();
  #failure: unknown;
  #writtenAt = performance.now();

  constructor(kube: KubeClient) {
    for (const kind of allMusterKinds)
      this.#follow(kube, kindRef(kind)).catch((error: unknown) => {
        this.#failure = error;
      });
  }

  /** The objects that exist, by their keys. @throws what ended a watch */
  get objects(): ReadonlyMap<string, KubeObject> {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#objects;
  }

  /** How many milliseconds ago the last object was written. */
  get quietMs(): number {
    return performance.now() - this.#writtenAt;
  }

  /** The reason of Ready after each write since the last call, by the key of the object: its creation and its deletion count, too. */
  takeWrites(): ReadonlyMap<string, readonly string[]> {
    const writes = new Map(this.#writes);
    this.#writes.clear();
    return writes;
  }

  stop(): void {
    this.#ended.abort();
  }

  async #follow(kube: KubeClient, kind: KindRef): Promise<void> {
    for await (const { type, object } of follow(kube, kind, undefined, this.#ended.signal)) {
      const key = keyOf(object);
      // A watch that starts again shows every object once more.
      if (this.#objects.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      this.#writes.set(key, [...(this.#writes.get(key) ?? []), conditionOf(object, "Ready")?.reason ?? "none"]);
      this.#writtenAt = performance.now();
      if (type === "DELETED") this.#objects.delete(key);
      else this.#objects.set(key, object);
    }
  }
}

/** `Group NAMESPACE/NAME` */
export function keyOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
