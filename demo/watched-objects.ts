import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { kindRef, musterKinds } from "#test/support/harness/muster-objects.ts";

/** `Group shop` */
export const nameOf = ({ kind, metadata }: { kind: string; metadata: { name: string } }): string =>
  `${kind} ${metadata.name}`;

/** All Muster objects of a namespace, as the API server tells of them. */
export class WatchedObjects {
  readonly #objects = new Map<string, KubeObject>();
  readonly #deleted: KubeObject[] = [];
  readonly #listeners = new Set<() => void>();

  /** Watches until `signal` aborts; `onFailure` is told what ends it before. */
  constructor(kube: KubeClient, namespace: string, signal: AbortSignal, onFailure: (error: unknown) => void) {
    for (const kind of musterKinds) this.#follow(kube, kind, namespace, signal).catch(onFailure);
  }

  get(name: string): KubeObject | undefined {
    return this.#objects.get(name);
  }

  all(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /** Those that are gone, in the order in which they went. */
  deleted(): readonly KubeObject[] {
    return this.#deleted.toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  /** Until `isSo`, which is asked whenever something has changed. */
  until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const ask = () => {
        if (!isSo()) return;
        this.#listeners.delete(ask);
        resolve();
      };
      this.#listeners.add(ask);
      ask();
    });
  }

  async #follow(kube: KubeClient, kind: (typeof musterKinds)[number], namespace: string, signal: AbortSignal) {
    while (!signal.aborted) {
      // The server ends a watch after some minutes; the next one begins with all that there is.
      for await (const { type, object } of kube.watch(kindRef(kind), { namespace, signal })) {
        if (type === "BOOKMARK") continue;
        if (type === "DELETED") {
          this.#objects.delete(nameOf(object));
          this.#deleted.push(object);
        } else this.#objects.set(nameOf(object), object);
        for (const listener of this.#listeners) listener();
      }
      if (!signal.aborted) await sleep(100);
    }
  }
}
