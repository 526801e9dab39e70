import { sentence } from "#src/text/sentence.ts";

// Calls to Kubernetes that were refused.

export function referencedKindUnread(path: string, kind: string): string {
  return `${path}: the operator has not been able to read the ${kind} objects of the cluster. ${readableFix(kind)}`;
}

export function dependentsUnknown(kinds: readonly string[]): string {
  const [first = ""] = kinds;
  return `Waiting until the operator can read the objects that may depend on this one: ${kinds.join(", ")}. ${readableFix(first)}`;
}

function readableFix(kind: string): string {
  return `If this lasts, apply the CustomResourceDefinition of ${kind}, and allow the operator's service account to list and watch its objects in all namespaces.`;
}

/** What the RBAC authorizer says, with the verb and the resource. */
const missingPermission = / cannot (\w+) resource "([^"]+)" in API group "([^"]*)"/;

export function refusedByKubernetes(details: string): string {
  const [, verb, resource, group] = missingPermission.exec(details) ?? [];
  const fix =
    verb === undefined || resource === undefined
      ? "Change the policy, webhook, quota or schema that rejects the request."
      : `Bind a role to the operator's service account that allows the verb ${verb} on ${resource} in the API group ${group || '""'}.`;
  return `Kubernetes refused a request of the operator: ${sentence(details)} ${fix} The operator retries.`;
}
