import { apiGroup, type KindName, resourceDefinitions } from "#src/api/resource.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import type { Clock } from "#src/time/clock.ts";
import type { CrdRead } from "./observed.ts";

const customResourceDefinitions: ResourceKind = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
};

/** Deletions that arrive within this time of each other share a read. */
const gatherMs = 10;

/**
 * Live reads of the CustomResourceDefinitions, each shared by all objects that wait for it. While a definition is being
 * deleted, the deletion of its objects is an uninstallation, and not a request to delete their external resources.
 */
export class CrdReads {
  readonly #kube: KubeApi;
  readonly #clock: Clock;
  /** A read serves many callers, so it has a signal of its own. */
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

  /** Resolves once a read that started after this call has ended. @throws {KubeError} */
  read(kind: KindName): Promise<void> {
    const gathering = this.#gathering.get(kind);
    if (gathering !== undefined) return gathering;
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
