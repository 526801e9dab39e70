import type { Resource } from "#src/api/custom-resource.ts";
import type { IssuedCode } from "./identification.ts";
import type { Kind } from "./kind.ts";

/** Where one value of a Secret is. */
export interface SecretLocation {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** The key of a Secret into which a code is written. */
const codeKey = "code";

/** Where the value is that the resource is to contain, or where its code is to be; undefined if there is neither. */
export function secretLocationOf({ secret, identification }: Kind, resource: Resource): SecretLocation | undefined {
  if (identification.by === "secret") return issuedSecretLocation(identification.code, resource);
  const reference = secret?.referenceOf(resource);
  return reference && { namespace: resource.metadata.namespace ?? "", ...reference };
}

/** Where the code of the resource is to be. */
export function issuedSecretLocation(code: IssuedCode, resource: Resource): SecretLocation {
  return { namespace: resource.metadata.namespace ?? "", name: code.secretNameOf(resource), key: codeKey };
}

/** Identifies the value among all Secrets of the cluster. */
export function secretKey({ namespace, name, key }: SecretLocation): string {
  return `${namespace}/${name}/${key}`;
}
