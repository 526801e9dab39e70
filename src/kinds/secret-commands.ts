import { issuerAnnotation } from "#src/api/annotations.ts";
import { shellWord } from "#src/kube/right.ts";
import type { SecretLocation } from "./secret-location.ts";

// The commands by which people give a Secret to the operator. They are copied into shells, and somebody else may have written the issuer.

/** Names the issuer to which the value of the Secret may be sent, in place of another one. */
export function annotateSecret({ namespace, name }: SecretLocation, issuer: string): string {
  return `kubectl annotate --overwrite secret -n ${namespace} ${name} ${shellWord(`${issuerAnnotation}=${issuer}`)}`;
}

/** Makes the Secret from a file, and then names the issuer on it. */
export function makeSecret(at: SecretLocation, issuer: string, file: string): readonly string[] {
  return [createSecret(at, file), annotateSecret(at, issuer)];
}

function createSecret({ namespace, name, key }: SecretLocation, file: string): string {
  return `kubectl create secret generic ${name} -n ${namespace} ${shellWord(`--from-file=${key}=${file}`)}`;
}
