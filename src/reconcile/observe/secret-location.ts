import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { SecretLocation } from "./observed.ts";

/** Where the value is that the resource is to contain; undefined if it is to contain none. */
export function secretLocationOf({ secret }: Kind, resource: Resource): SecretLocation | undefined {
  const reference = secret?.referenceOf(resource);
  return reference && { namespace: resource.metadata.namespace ?? "", ...reference };
}

/** Identifies the value among all Secrets of the cluster. */
export function secretKey({ namespace, name, key }: SecretLocation): string {
  return `${namespace}/${name}/${key}`;
}
