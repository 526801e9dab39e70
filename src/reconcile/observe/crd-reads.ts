import { apiGroup } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { customResourceDefinitions } from "#src/kube/custom-resource-definition.ts";
import type { Clock } from "#src/time/clock.ts";
import type { CrdRead } from "./observed.ts";

/** Deletions that arrive within this time of each other share a read. */
const gatherMs = 10;

/**
 * Live reads of the CustomResourceDefinitions, each shared by all objects that wait for it. While a definition is being
 * deleted, the deletion of its objects is an uninstallation, and not a request to delete their external resources.
 */
export class CrdReads {
  readonly #kube: Pick<KubeApi, "get">;
  readonly #clock: Clock;
  /** A read serves many callers, so it has a signal of its own. */
  readonly #signal: AbortSignal;
  readonly #reads = new Map<string, CrdRead>();
  readonly #gathering = new Map<string, Promise<void>>();

  constructor(kube: Pick<KubeApi, "get">, clock: Clock, signal: AbortSignal) {
    this.#kube = kube;
    this.#signal = signal;
    this.#clock = clock;
  }

  lastRead(kind: Kind): CrdRead | undefined {
    return this.#reads.get(kind.name);
  }

  /** Resolves once a read that started after this call has ended. @throws {KubeError} */
  read(kind: Kind): Promise<void> {
    const gathering = this.#gathering.get(kind.name);
    if (gathering !== undefined) return gathering;
    const read = this.#clock
      .sleep(gatherMs, this.#signal)
      .finally(() => this.#gathering.delete(kind.name))
      .then(() => this.#readOnce(kind));
    this.#gathering.set(kind.name, read);
    return read;
  }

  async #readOnce({ name, definition }: Kind): Promise<void> {
    const readAt = this.#clock.monotonic();
    const crd = await this.#kube.get(customResourceDefinitions, undefined, `${definition.plural}.${apiGroup}`, {
      signal: this.#signal,
    });
    this.#reads.set(name, { readAt, deleting: crd.metadata.deletionTimestamp !== undefined });
  }
}
