import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { CodeStore } from "#src/reconcile/observe/issued-codes.ts";
import type { SecretRead, SecretVersion } from "#src/reconcile/observe/secret-read.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { secretKey, secretLocationOf } from "#src/kinds/secret-location.ts";
import type { SecretSource } from "#src/reconcile/observe/secret-reads.ts";

/** Secrets do not age in a plan: they are read once. */
const readAt = Number.MAX_SAFE_INTEGER;

/**
 * The Secrets in a plan, which reads and writes none: each one that an object names exists. One with a value that is sent may be
 * sent, and is at the version that was sent last; one for a code is empty and may be written.
 */
export class AssumedSecrets implements SecretSource, CodeStore {
  readonly #reads = new Map<string, SecretRead>();
  readonly #objects: () => Iterable<readonly [Kind, Resource]>;

  /** @param objects the objects, as they are when a Secret is read. */
  constructor(objects: () => Iterable<readonly [Kind, Resource]>) {
    this.#objects = objects;
  }

  lastRead(location: SecretLocation): SecretRead | undefined {
    return this.#reads.get(secretKey(location));
  }

  async read(location: SecretLocation): Promise<void> {
    for (const [kind, resource] of this.#objects()) {
      const at = secretLocationOf(kind, resource);
      if (at === undefined || secretKey(at) !== secretKey(location)) continue;
      const { uid = "planned", resourceVersion = "planned" } = resource.status?.secret ?? {};
      const issuer = kind.secret?.issuerOf(resource) ?? "";
      const version = { is: "found", readAt, uid, resourceVersion } as const;
      const isEmpty = kind.identification.by === "secret";
      this.#reads.set(secretKey(location), {
        ...version,
        issuer,
        unusable: null,
        isEmpty,
        issuedUid: null,
        writable: isEmpty,
      });
    }
  }

  async value(): Promise<string> {
    return "(from the Secret)";
  }

  keep(): void {}

  forget(): void {}

  async check(): Promise<void> {}

  async write(location: SecretLocation, _version: SecretVersion, uid: string): Promise<boolean> {
    const read = this.lastRead(location);
    if (read?.is === "found") this.#reads.set(secretKey(location), { ...read, isEmpty: false, issuedUid: uid });
    return true;
  }
}
