import { issuerAnnotation } from "#src/api/annotations.ts";
import { boundedText } from "#src/api/bounded-text.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { externalUid } from "#src/platform-client/collection.ts";
import { isNotFound } from "#src/kube/errors.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import type { Clock } from "#src/time/clock.ts";
import type { SecretRead, SecretVersion } from "./secret-read.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { secretKey } from "#src/kinds/secret-location.ts";

export const secretResource: ResourceKind = {
  group: "",
  version: "v1",
  plural: "secrets",
  kind: "Secret",
};

/** The key of a Secret with the uid of the resource whose code it contains. */
export const uidKey = "uid";
/** The longest value that is sent, in bytes. */
const maxValueBytes = 4096;
const maxAnnotationLength = 1024;
/** 27 levels. */
const maxUidLength = 512;
/** What is known of more Secrets than this is forgotten, the oldest first: they are read again. */
const maxReads = 10_000;

/** What is known of the Secrets that objects name. */
export interface SecretSource {
  /** What the last read of the Secret showed; undefined if it was not read. Never the value. */
  lastRead(location: SecretLocation): SecretRead | undefined;
  /** Reads the Secret. One that does not exist is a result. @throws {KubeError} */
  read(location: SecretLocation, signal: AbortSignal): Promise<void>;
  /** Reads the value; undefined if the Secret is not at `version` any longer, which `lastRead` then shows. @throws {KubeError} */
  value(location: SecretLocation, version: SecretVersion, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * Live reads of Secrets, one at a time and by name: the operator neither lists nor watches them. What is remembered is which
 * version was read, and whether it can be used. A value is read again each time that it is sent, and never kept.
 */
export class SecretReads implements SecretSource {
  readonly #kube: Pick<KubeApi, "get">;
  readonly #clock: Clock;
  readonly #reads = new Map<string, SecretRead>();

  constructor(kube: Pick<KubeApi, "get">, clock: Clock) {
    this.#kube = kube;
    this.#clock = clock;
  }

  lastRead(location: SecretLocation): SecretRead | undefined {
    return this.#reads.get(secretKey(location));
  }

  async read(location: SecretLocation, signal: AbortSignal): Promise<void> {
    await this.#get(location, signal);
  }

  async value(location: SecretLocation, version: SecretVersion, signal: AbortSignal): Promise<string | undefined> {
    const { read, text } = await this.#get(location, signal);
    return isAt(read, version) ? text : undefined;
  }

  async #get(
    location: SecretLocation,
    signal: AbortSignal,
  ): Promise<{ readonly read: SecretRead; readonly text: string | undefined }> {
    const readAt = this.#clock.monotonic();
    const secret = await this.#kube
      .get<KubeSecret>(secretResource, location.namespace, location.name, { signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (secret === undefined)
      return { read: this.#remember(location, { is: "missing", readAt, writable: false }), text: undefined };
    const { uid = "", resourceVersion = "", annotations } = secret.metadata;
    const decoded = decode(secret.data?.[location.key]);
    const read: SecretRead = {
      is: "found",
      readAt,
      uid,
      resourceVersion,
      issuer: boundedText(annotations?.[issuerAnnotation] ?? "", maxAnnotationLength),
      unusable: "unusable" in decoded ? decoded.unusable : null,
      isEmpty: Object.keys(secret.data ?? {}).length === 0,
      issuedUid: issuedUidIn(secret),
      writable: false,
    };
    return { read: this.#remember(location, read), text: "text" in decoded ? decoded.text : undefined };
  }

  /** Notes that Kubernetes permits the operator to write the Secret at this version; null: the Secret that does not exist. */
  noteWritable(location: SecretLocation, version: SecretVersion | null): void {
    const read = this.lastRead(location);
    if (read !== undefined && isAt(read, version)) this.#remember(location, { ...read, writable: true });
  }

  #remember(location: SecretLocation, read: SecretRead): SecretRead {
    const key = secretKey(location);
    this.#reads.delete(key);
    const [oldest] = this.#reads.keys();
    if (oldest !== undefined && this.#reads.size >= maxReads) this.#reads.delete(oldest);
    this.#reads.set(key, read);
    return read;
  }
}

/** Whether the Secret was at this version; null: whether it did not exist. */
function isAt(read: SecretRead, version: SecretVersion | null): boolean {
  if (read.is === "missing" || version === null) return read.is === "missing" && version === null;
  return read.uid === version.uid && read.resourceVersion === version.resourceVersion;
}

type KubeSecret = KubeObject & { readonly data?: Readonly<Record<string, string>> };
type Unusable = NonNullable<Extract<SecretRead, { is: "found" }>["unusable"]>;

/** The uid of the resource whose code the Secret contains, as it says; null if it says none. */
function issuedUidIn({ data }: KubeSecret): string | null {
  const decoded = decode(data?.[uidKey]);
  return "text" in decoded && externalUid.max(maxUidLength).safeParse(decoded.text).success ? decoded.text : null;
}

/** The text of a value of a Secret, which is base64, or why it cannot be sent. */
function decode(base64: string | undefined): { readonly text: string } | { readonly unusable: Unusable } {
  if (base64 === undefined) return { unusable: "noKey" };
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === 0) return { unusable: "empty" };
  if (bytes.length > maxValueBytes) return { unusable: "tooLong" };
  const text = bytes.toString("utf8");
  // A line break at the end is usually an accident of `--from-file`, and would never match.
  return /[\p{Cc}\u{fffd}]/u.test(text) ? { unusable: "notText" } : { text };
}
