import type { KubeApi } from "#src/kube/api.ts";
import { isConflict, isNotFound, isRefused, KubeError } from "#src/kube/errors.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import type { SecretVersion } from "./secret-read.ts";
import { secretResource, type SecretReads, uidKey } from "./secret-reads.ts";

/** What a trial write contains. */
const trial = { code: "trial", uid: "trial" };
/** More codes than this wait for their Secrets only if Kubernetes has been away for long: the oldest are forgotten. */
const maxCodes = 1_000;

/** The codes that the platform issued to this process, on their way into Secrets. */
export interface CodeStore {
  /** Keeps the code of the resource with this uid until it is written. */
  keep(uid: string, code: string): void;
  /** Forgets the code of the resource with this uid, which was deleted. */
  forget(uid: string): void;
  /**
   * Checks with a dry run whether the Secret may be written, also one that does not exist: its version is null. One that is at
   * another version is read again. @throws {KubeError}
   */
  check(at: SecretLocation, version: SecretVersion | null, signal: AbortSignal): Promise<void>;
  /**
   * Writes the code of the resource with this uid, and the uid, in one write that applies only to this version of the Secret.
   * @returns whether the Secret contains them. If not, the code is forgotten. @throws {KubeError} without the code
   */
  write(at: SecretLocation, version: SecretVersion, uid: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * Writes codes into Secrets, one at a time and by name.
 *
 * Guarantees: a code is in this object from the response that contained it until it is written, until that has failed for
 * good, or until the resource is deleted, and nowhere else in this process: it is not part of what is observed, decided,
 * remembered or logged, nor of an error.
 */
export class IssuedCodes implements CodeStore {
  readonly #kube: Pick<KubeApi, "patch">;
  readonly #reads: SecretReads;
  readonly #codes = new Map<string, string>();

  /** @param reads learns what is known of a Secret after each write. */
  constructor(kube: Pick<KubeApi, "patch">, reads: SecretReads) {
    this.#kube = kube;
    this.#reads = reads;
  }

  keep(uid: string, code: string): void {
    const [oldest] = this.#codes.keys();
    if (oldest !== undefined && this.#codes.size >= maxCodes) this.#codes.delete(oldest);
    this.#codes.set(uid, code);
  }

  forget(uid: string): void {
    this.#codes.delete(uid);
  }

  async check(at: SecretLocation, version: SecretVersion | null, signal: AbortSignal): Promise<void> {
    const found = await this.#patch(at, version, trial, { signal, dryRun: true }).then(
      () => true,
      (error: unknown) => {
        if (isConflict(error)) return undefined;
        if (isNotFound(error)) return false;
        throw error;
      },
    );
    // Kubernetes says that a Secret does not exist only to those who may write it.
    if (found === (version !== null)) this.#reads.noteWritable(at, version);
    else await this.#reads.read(at, signal);
  }

  async write(at: SecretLocation, version: SecretVersion, uid: string, signal: AbortSignal): Promise<boolean> {
    const code = this.#codes.get(uid);
    if (code === undefined) return false;
    try {
      await this.#patch(at, version, { code, uid }, { signal });
    } catch (error) {
      if (isRefused(error)) this.#codes.delete(uid);
      if (!isConflict(error) && !isNotFound(error)) throw concealed(error, code);
    }
    // After a conflict, this shows whether an earlier write whose response was lost took effect.
    await this.#reads.read(at, signal);
    this.#codes.delete(uid);
    const read = this.#reads.lastRead(at);
    return read?.is === "found" && read.issuedUid === uid;
  }

  async #patch(
    { namespace, name, key }: SecretLocation,
    version: SecretVersion | null,
    values: { readonly code: string; readonly uid: string },
    options: { readonly signal: AbortSignal; readonly dryRun?: boolean },
  ): Promise<void> {
    const data = { [key]: base64(values.code), [uidKey]: base64(values.uid) };
    await this.#kube.patch(secretResource, namespace, name, { metadata: { ...version }, data }, options);
  }
}

/** `error`, which may repeat the request, without the code. */
function concealed(error: unknown, code: string): unknown {
  if (!(error instanceof KubeError)) return error;
  const { call, code: status, reason, retryAfterMs, fields } = error;
  const message = error.message.slice(`${call}: `.length);
  const clean = message.replaceAll(base64(code), "[redacted]").replaceAll(code, "[redacted]");
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new KubeError({ call, code: status, reason, ...wait, fields }, clean);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
