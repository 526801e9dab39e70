import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";

export const musterKinds = ["Group", "Identity", "RoleBinding"].map((kind) => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind,
}));

interface Expectation {
  readonly isMet: (object: KubeObject | undefined) => boolean;
  readonly resolve: (at: number) => void;
}

/** Sees objects turn Ready and go, over watches of its own; times are of `performance.now()`, when the news came in. */
export class Observer {
  readonly #objects = new Map<string, KubeObject>();
  readonly #wishes = new Map<string, Expectation[]>();
  readonly #ended = new AbortController();
  readonly #failed = Promise.withResolvers<never>();

  constructor(client: KubeClient, namespace: string) {
    // Told to whoever waits for something; nobody may be waiting yet.
    this.#failed.promise.catch(() => {});
    for (const kind of musterKinds) this.#follow(client, kind, namespace).catch(this.#failed.reject);
  }

  /** When the object was seen to be Ready at this generation of its spec. */
  ready(ref: ObjectRef, generation: number): Promise<number> {
    return this.#when(ref, (object) => {
      const conditions: { type: string; status: string; observedGeneration: number }[] = object?.["status"]?.conditions;
      const condition = conditions?.find(({ type }) => type === "Ready");
      return condition?.status === "True" && condition.observedGeneration === generation;
    });
  }

  /** When the object was seen to be gone. Only for an object that was there. */
  gone(ref: ObjectRef): Promise<number> {
    return this.#when(ref, (object) => object === undefined);
  }

  /** `what` and how many are still waited for. */
  get waiting(): number {
    return this.#wishes.size;
  }

  stop(): void {
    this.#ended.abort();
  }

  #when(ref: ObjectRef, isMet: Expectation["isMet"]): Promise<number> {
    const key = keyOf(ref);
    if (isMet(this.#objects.get(key))) return Promise.resolve(performance.now());
    const met = new Promise<number>((resolve) => {
      this.#wishes.set(key, [...(this.#wishes.get(key) ?? []), { isMet, resolve }]);
    });
    const seen = Promise.race([met, this.#failed.promise]);
    // Many are waited for, and the first that fails is told: the others are no news.
    seen.catch(() => {});
    return seen;
  }

  async #follow(client: KubeClient, kind: (typeof musterKinds)[number], namespace: string): Promise<void> {
    const { signal } = this.#ended;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      const from = resourceVersion === undefined ? {} : { resourceVersion };
      try {
        // The API server ends a watch after a while, and one that is too slow; another goes on from there.
        for await (const { type, object } of client.watch(kind, { namespace, signal, ...from })) {
          resourceVersion = object.metadata.resourceVersion;
          this.#saw(keyOf(object), type === "DELETED" ? undefined : object);
        }
      } catch (error) {
        // So it answers for a moment after a CustomResourceDefinition was made.
        if (!(error instanceof KubeError && error.code === 429)) throw error;
        await sleep(100);
      }
    }
  }

  #saw(key: string, object: KubeObject | undefined): void {
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, object);
    const wishes = this.#wishes.get(key);
    if (wishes === undefined) return;
    const now = performance.now();
    const left = wishes.filter((wish) => !wish.isMet(object));
    if (left.length === 0) this.#wishes.delete(key);
    else this.#wishes.set(key, left);
    for (const wish of wishes) if (!left.includes(wish)) wish.resolve(now);
  }
}

function keyOf({ kind, metadata }: ObjectRef): string {
  return `${kind} ${metadata.name}`;
}
