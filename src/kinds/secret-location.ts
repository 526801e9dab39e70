import type { Resource } from "#src/api/custom-resource.ts";
import type { IssuedCode, Kind } from "./kind.ts";

/** Where one value of a Secret is. */
export interface SecretLocation {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The key of a Secret into which a code is written. */
const codeKey = "code";

/** Where the value is that the resource is to contain, or where its code is to be; undefined if there is neither. */
export function secretLocationOf({ secret, issued }: Kind, resource: Resource): SecretLocation | undefined {
  if (issued !== null) return issuedSecretLocation(issued, resource);
  const reference = secret?.referenceOf(resource);
  return reference && { namespace: resource.metadata.namespace ?? "", ...reference };
}

/** Where the code of the resource is to be. */
export function issuedSecretLocation(issued: IssuedCode, resource: Resource): SecretLocation {
  return { namespace: resource.metadata.namespace ?? "", name: issued.secretNameOf(resource), key: codeKey };
}

/** Identifies the value among all Secrets of the cluster. */
export function secretKey({ namespace, name, key }: SecretLocation): string {
  return `${namespace}/${name}/${key}`;
}
