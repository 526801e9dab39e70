import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { SecretRead } from "#src/reconcile/observe/observed.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { secretKey, secretLocationOf } from "#src/kinds/secret-location.ts";
import type { SecretSource } from "#src/reconcile/observe/secret-reads.ts";

/**
 * The Secrets in a plan, which reads none: each one that an object names exists, may be sent, and is at the version that was
 * sent last.
 */
export class AssumedSecrets implements SecretSource {
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
      if (kind.secret === null || at === undefined || secretKey(at) !== secretKey(location)) continue;
      const { uid = "planned", resourceVersion = "planned" } = resource.status?.secret ?? {};
      const issuer = kind.secret.issuerOf(resource);
      // It is read once: what was sent does not age.
      const readAt = Number.MAX_SAFE_INTEGER;
      this.#reads.set(secretKey(location), { is: "found", readAt, uid, resourceVersion, issuer, unusable: null });
    }
  }

  async value(): Promise<string> {
    return "(from the Secret)";
  }
}
