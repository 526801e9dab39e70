import { annotateSecret, makeSecret } from "#src/kinds/secret-commands.ts";
import type { SecretRead } from "#src/reconcile/observe/observed.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";
import { grantCommands, refusedUser } from "#src/kube/right.ts";

// What people read about the Secret that an object names. Nothing of what is in the Secret but the names of its keys.

/** The operator, as the manifests in `deploy/` name it: for a refusal that names nobody. */
export const operatorUser = "system:serviceaccount:muster-system:muster-operator";

type Unusable = NonNullable<Extract<SecretRead, { is: "found" }>["unusable"]>;

const problems: Readonly<Record<Exclude<Unusable, "noKey">, string>> = {
  empty: "is empty. Set it",
  tooLong: "is longer than 4,096 bytes. Shorten it",
  notText: "is not text in UTF-8, or contains a line break or another control character. Write it without one",
};

export function secretMissing(path: string, at: SecretLocation, issuer: string): string {
  const commands = makeSecret(at, issuer, "FILE").join(" && ");
  return `${path}: Secret ${at.name} does not exist in namespace ${at.namespace}. Create it from a file, FILE, that has the client secret and no line break. Run: ${commands}`;
}

export function secretUnusable(path: string, { name, key }: SecretLocation, why: Unusable): string {
  if (why === "noKey")
    return `${path}: Secret ${name} has no key ${key}. Add it, or set ${path}.key to the one that has the client secret.`;
  return `${path}: the key ${key} of Secret ${name} ${problems[why]}.`;
}

export function secretNotGranted(path: string, at: SecretLocation, issuer: string): string {
  return `${path}: Secret ${at.name} does not name the issuer to which it may be sent. Run: ${annotateSecret(at, issuer)}`;
}

/**
 * The operator may read no Secret but those that a Role names.
 * @param refusal what Kubernetes said, which names the user.
 */
export function secretRefused(path: string, { namespace, name }: SecretLocation, refusal: string): string {
  const user = refusedUser(refusal) ?? operatorUser;
  const right = { verb: "get", group: "", resource: "secrets", name, namespace };
  return `${path}: the operator may not read Secret ${name}: ${refusal}. It may read a Secret only if a Role of Kubernetes RBAC names it. Run: ${grantCommands(right, `muster-secret-${name}`, user)}`;
}

export function secretUnsettled(noun: string): string {
  return `An operator that stopped may have sent the ${noun} a secret a moment ago, which the spec does not name. It is removed once no earlier request can take effect any longer.`;
}
