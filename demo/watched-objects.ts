import { follow } from "#test/support/control-plane/follow.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kindRef, type MusterKind, musterKinds } from "#test/support/harness/muster-objects.ts";

/** `Group shop` */
export const nameOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }): string =>
  `${kind} ${metadata.name}`;

/** The Muster objects of a namespace, kept current by watches. */
export class WatchedObjects {
  readonly #objects = new Map<string, KubeObject>();
  readonly #deleted: KubeObject[] = [];
  readonly #listeners = new Set<() => void>();

  /** Watches until `signal` aborts. @param onFailure called with the error that ends a watch before */
  constructor(kube: KubeClient, namespace: string, signal: AbortSignal, onFailure: (error: unknown) => void) {
    for (const kind of musterKinds) this.#follow(kube, kind, namespace, signal).catch(onFailure);
  }

  get(name: string): KubeObject | undefined {
    return this.#objects.get(name);
  }

  all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /** The deleted objects in the order of their deletion. */
  deleted(): readonly KubeObject[] {
    return this.#deleted.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  /** Resolves when `condition` is true. It is evaluated after each change. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const evaluate = () => {
        if (!condition()) return;
        this.#listeners.delete(evaluate);
        resolve();
      };
      this.#listeners.add(evaluate);
      evaluate();
    });
  }

  async #follow(kube: KubeClient, kind: MusterKind, namespace: string, signal: AbortSignal): Promise<void> {
    for await (const { type, object } of follow(kube, kindRef(kind), namespace, signal)) {
      if (type === "DELETED") {
        this.#objects.delete(nameOf(object));
        this.#deleted.push(object);
      } else this.#objects.set(nameOf(object), object);
      for (const listener of this.#listeners) listener();
    }
  }
}
