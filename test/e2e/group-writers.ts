import { setTimeout as sleep } from "node:timers/promises";
import { root } from "#test/node/try-out.ts";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";

/** With which the names of the groups begin. */
export const prefix = "written-";

/** Creates groups until it is stopped, several at once, as clients that do not repeat a request. */
export class GroupWriters {
  /** The uids of groups whose creation the platform has acknowledged. */
  readonly acknowledged: string[] = [];
  /** How many requests had no response. */
  failed = 0;
  readonly #stop = new AbortController();
  readonly #ends: readonly Promise<void>[];

  constructor(platform: PlatformAdmin, count: number) {
    this.#ends = Array.from({ length: count }, (_, number) => this.#write(platform, number));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#ends);
  }

  async #write(platform: PlatformAdmin, number: number): Promise<void> {
    for (let written = 0; !this.#stop.signal.aborted; written += 1)
      try {
        const group = { name: `${prefix}${number}-${written}`, description: "" };
        this.acknowledged.push((await platform.create("groups", root, group)).uid);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        this.failed += 1;
        await sleep(200);
      }
  }
}
