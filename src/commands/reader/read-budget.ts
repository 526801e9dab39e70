import { getHeapStatistics } from "node:v8";
import type { KubeApi } from "#src/kube/api.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { heapSize } from "./heap-size.ts";

/** What is read may take one of so many parts of the heap. The largest command, a plan, takes seven times as much in all. */
const heapParts = 8;

/** A command would read more than its memory holds. */
export class TooMuchToRead extends Error {
  override readonly name = "TooMuchToRead";
}

/**
 * How much one command may read of a platform and of a cluster, together: an eighth of the memory that Node.js gives it. It counts
 * all pages of all lists, whether or not their objects are kept.
 */
export class ReadBudget {
  readonly #bytes: number;
  readonly #advice: string | undefined;
  #left: number;

  /** @param advice how to read less, such as "name a smaller group with --group" */
  constructor(advice?: string, bytes: number = getHeapStatistics().heap_size_limit / heapParts) {
    this.#advice = advice;
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** The platform's reads, whose lists count. They throw `TooMuchToRead` once the budget is used up. */
  platform(api: ReadApi): ReadApi {
    return {
      get: (type, uid, signal) => api.get(type, uid, signal),
      list: async (type, query, signal) => {
        const page = await api.list(type, query, signal);
        this.#count(page.resources, `${type.name} of the platform`);
        return page;
      },
    };
  }

  /** The cluster's lists, which count. They throw `TooMuchToRead` once the budget is used up. */
  cluster(kube: Pick<KubeApi, "list">): Pick<KubeApi, "list"> {
    return {
      list: async (resource, options) => {
        const page = await kube.list<never>(resource, options);
        this.#count(page.items, `${resource.plural} of the cluster`);
        return page;
      },
    };
  }

  /** @throws {TooMuchToRead} */
  #count(objects: readonly unknown[], what: string): void {
    this.#left -= heapSize(objects);
    if (this.#left >= 0) return;
    const mebibytes = Math.round(this.#bytes / 2 ** 20);
    const heap = Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20);
    const less = this.#advice === undefined ? "" : `, or ${this.#advice}`;
    throw new TooMuchToRead(
      `with the ${what}, more than ${mebibytes} MiB would be read, which does not fit into the memory of the command. Give it more, such as NODE_OPTIONS=--max-old-space-size=${2 * heap}${less}`,
    );
  }
}
