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
    const onRestart = () => this.#listAgain(kube, kind);
    for await (const { type, object } of follow(kube, kind, undefined, this.#ended.signal, onRestart)) {
      const key = keyOf(object);
      if (this.#objects.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      if (type === "DELETED") this.#objects.delete(key);
      else this.#objects.set(key, object);
      this.#noteWrite(key, object);
    }
  }

  #noteWrite(key: string, object: KubeObject): void {
    this.#writes.set(key, [...(this.#writes.get(key) ?? []), conditionOf(object, "Ready")?.reason ?? "none"]);
    this.#writtenAt = performance.now();
  }

  /** Notes what happened while the watch was interrupted. @returns the version from which it goes on, without a gap */
  async #listAgain(kube: KubeClient, kind: KindRef): Promise<string | undefined> {
    const existing = new Map((await kube.list(kind)).map((object) => [keyOf(object), object]));
    for (const [key, before] of this.#objects)
      if (before.kind === kind.kind && !existing.has(key)) {
        this.#objects.delete(key);
        this.#noteWrite(key, before);
      }
    for (const [key, object] of existing) {
      if (this.#objects.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
      this.#objects.set(key, object);
      this.#noteWrite(key, object);
    }
    const versions = Array.from(existing.values(), ({ metadata }) => BigInt(metadata.resourceVersion ?? 0));
    return versions.length === 0 ? undefined : String(versions.reduce((a, b) => (a > b ? a : b)));
  }
}

/** `Group NAMESPACE/NAME` */
export function keyOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
