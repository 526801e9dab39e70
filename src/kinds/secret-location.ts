import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "./kind.ts";

/** Where one value of a Secret is. */
export interface SecretLocation {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Where the value is that the resource is to contain; undefined if it is to contain none. */
export function secretLocationOf({ secret }: Kind, resource: Resource): SecretLocation | undefined {
  const reference = secret?.referenceOf(resource);
  return reference && { namespace: resource.metadata.namespace ?? "", ...reference };
}

/** Identifies the value among all Secrets of the cluster. */
export function secretKey({ namespace, name, key }: SecretLocation): string {
  return `${namespace}/${name}/${key}`;
}
