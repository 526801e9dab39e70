import { apiGroup, type KindName, resourceDefinitions } from "#src/api/resource.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { Clock } from "#src/time/clock.ts";
import type { ResourceKind } from "#src/kube/object.ts";

const customResourceDefinitions: ResourceKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** Deletions that come within this time of each other share a read. */
const gatherMs = 10;

export interface CrdRead {
  readonly readAt: number;
  readonly deleting: boolean;
}

/**
 * Live reads of the CustomResourceDefinitions, shared by all deletions that wait for one: while a definition itself is
 * being deleted, its objects' deletion is an uninstall and not a wish to delete what they stand for.
 */
export class CrdReads {
  readonly #kube: KubeApi;
  readonly #clock: Clock;
  /** A read serves many callers, so none of theirs may end it. */
  readonly #signal: AbortSignal;
  readonly #reads = new Map<KindName, CrdRead>();
  readonly #gathering = new Map<KindName, Promise<void>>();

  constructor(kube: KubeApi, clock: Clock, signal: AbortSignal) {
    this.#kube = kube;
    this.#signal = signal;
    this.#clock = clock;
  }

  lastRead(kind: KindName): CrdRead | undefined {
    return this.#reads.get(kind);
  }

  /** Resolves once a read that began after this call is known. */
  read(kind: KindName): Promise<void> {
    const under = this.#gathering.get(kind);
    if (under !== undefined) return under;
    const read = this.#clock
      .sleep(gatherMs, this.#signal)
      .finally(() => this.#gathering.delete(kind))
      .then(() => this.#readOnce(kind));
    this.#gathering.set(kind, read);
    return read;
  }

  async #readOnce(kind: KindName): Promise<void> {
    const plural = resourceDefinitions.find((definition) => definition.kind === kind)?.plural ?? kind;
    const readAt = this.#clock.monotonic();
    const definition = await this.#kube.get(customResourceDefinitions, undefined, `${plural}.${apiGroup}`, {
      signal: this.#signal,
    });
    this.#reads.set(kind, { readAt, deleting: definition.metadata.deletionTimestamp !== undefined });
  }
}
