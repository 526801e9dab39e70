import { type SeenKeys, seeKeys, type UploadedKeys, uploadedKeys } from "#src/kinds/uploaded-keys.ts";
import type { KubeClient } from "#src/kube/client.ts";
import type { Logger } from "#src/telemetry/log.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import type { OperatorValues } from "./settings.ts";

export interface ServiceAccountKeysOptions {
  /** Asks one API server, on a connection of its own. @returns a JWKS document. */
  readonly read: (signal: AbortSignal) => Promise<unknown>;
  /** The ids of keys that must not be used any more. */
  readonly dropped: readonly string[];
  readonly clock: Clock;
  /** Reports a read that failed, for the log. */
  readonly onError: (error: unknown) => void;
}

/**
 * Each read asks one of perhaps several API servers, whose keys differ while they rotate. At the start, this many reads make
 * it unlikely that one is never asked: with three of them, the probability is 0.001 %.
 */
const firstReads = 30;
const firstIntervalMs = 100;
const intervalMs = seconds(30);

/**
 * The keys of the cluster's service-account tokens, for a platform that cannot reach their issuer: the union of what API
 * servers have published within the last hour.
 *
 * Expected flow: `start` reads until the keys of all API servers are probably known; then `run` keeps them up to date, in
 * followers, too, so that a new leader knows the last hour. A restart forgets only keys that no API server publishes any more.
 */
export class ServiceAccountKeys {
  readonly #options: ServiceAccountKeysOptions;
  #seen: SeenKeys = new Map();
  #uploaded: UploadedKeys | undefined;
  #onChange: () => void = () => {};

  constructor(options: ServiceAccountKeysOptions) {
    this.#options = options;
  }

  /** The keys to write into identities; undefined before `start` has resolved. */
  get uploaded(): UploadedKeys | undefined {
    return this.#uploaded;
  }

  /** Calls `listener`, instead of an earlier one, after each change. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Waits while the API servers are away. @throws {Error} if all keys are dropped; the reason of `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    for (let reads = 0; reads < firstReads; ) {
      if (await this.#read(signal)) reads += 1;
      await this.#options.clock.sleep(firstIntervalMs, signal);
    }
    if (this.#current() === undefined)
      throw new Error(
        "--drop-key: these are all keys that the API servers publish; add another key to the API servers first",
      );
    this.#update();
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#options.clock.sleep(intervalMs, signal);
      } catch {
        return;
      }
      await this.#read(signal);
      this.#update();
    }
  }

  async #read(signal: AbortSignal): Promise<boolean> {
    const { read, clock, onError } = this.#options;
    try {
      this.#seen = seeKeys(this.#seen, await read(signal), clock.monotonic());
      return true;
    } catch (error) {
      if (!signal.aborted) onError(error);
      return false;
    }
  }

  /** While every known key is dropped, the last keys stay: the platform accepts no empty set. */
  #update(): void {
    const current = this.#current();
    if (current === undefined) return;
    const { issuerKeys, expirationTime } = this.#uploaded ?? {};
    if (current.issuerKeys === issuerKeys && current.expirationTime === expirationTime) return;
    this.#uploaded = current;
    this.#onChange();
  }

  #current(): UploadedKeys | undefined {
    return uploadedKeys(this.#seen, this.#options.dropped, this.#options.clock.now());
  }
}

/**
 * Starts to upload keys if the settings say so; otherwise undefined. It reads until `signal` aborts.
 * @throws {Error} if the settings contradict each other or all keys are dropped; the reason of `signal`.
 */
export async function startServiceAccountKeys(
  { serviceAccountKeys, dropKey }: Pick<OperatorValues, "serviceAccountKeys" | "dropKey">,
  { newClient, log, clock }: { readonly newClient: () => KubeClient; readonly log: Logger; readonly clock: Clock },
  signal: AbortSignal,
): Promise<ServiceAccountKeys | undefined> {
  if (serviceAccountKeys === "discover") {
    if (dropKey.length === 0) return undefined;
    throw new Error("--drop-key has an effect only with --service-account-keys upload; set that, or remove --drop-key");
  }
  const keys = new ServiceAccountKeys({
    read: async (stopped) => {
      const client = newClient();
      try {
        return await client.serviceAccountKeys({ signal: stopped });
      } finally {
        await client.close();
      }
    },
    dropped: dropKey,
    clock,
    onError: (error) => log.warn({ err: error }, "failed to read the keys of service-account tokens"),
  });
  await keys.start(signal);
  void keys.run(signal);
  return keys;
}
