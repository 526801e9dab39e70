import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { groupDefinition } from "#src/api/group.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import { type Reading, userOf } from "#src/commands/reader/cluster-reads.ts";
import type { Note } from "#src/commands/output/note.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import type { Link } from "#src/commands/why/link.ts";
import { identityLabel } from "#src/injection/names.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import { rightText } from "#src/kube/right.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** Where requests are tried that the API server checks and does not carry out. */
export interface DryRunSources {
  readonly kube: Pick<KubeApi, "create" | "patch">;
  readonly signal: AbortSignal;
  readonly operator: OperatorPlace;
  /** Whether the caller is the operator's service account. */
  readonly isOperator: boolean;
  /** On one of which it is tried. */
  readonly tenants: Reading<readonly KubeObject[]>;
}

/** A request that a policy has to refuse or to change. */
interface Trial {
  /** What is tried, for the message. */
  readonly tries: string;
  /** The right that it requires. */
  readonly requires: string;
  readonly send: () => Promise<KubeObject>;
  /** Whether the response shows that the policy acted; undefined if the policy has to refuse the request. */
  readonly isChanged?: (object: KubeObject) => boolean;
}

/** Why nothing is tried. */
interface Untried {
  readonly untried: string;
  readonly fix: Note;
}

function withoutTenant(tenants: Reading<unknown>): Untried {
  return tenants.state === "unknown"
    ? { untried: `It cannot be tried, because no Tenant can be read: ${tenants.because}`, fix: tenants.fix }
    : {
        untried: "It cannot be tried, because there is no Tenant.",
        fix: "Create a Tenant: muster bootstrap prints a first one.",
      };
}

/** A namespace of every cluster. Nothing is created in it. */
const namespace = "default";
const generateName = "muster-doctor-";
const podResource: ResourceKind = { group: "", version: "v1", plural: "pods", kind: "Pod" };

/** Shows by a request with `dryRun` that the installed policy acts; undefined if no request shows it. */
export async function dryRunLink(
  sources: DryRunSources,
  shipped: string,
  installed: string,
): Promise<Link | undefined> {
  const base = { link: "dry run", subject: installed };
  const trial = trialOf(sources, shipped);
  if (trial === undefined) return undefined;
  if ("untried" in trial) return { ...base, state: "unknown", message: trial.untried, fix: trial.fix };
  const { isChanged, requires, send, tries } = trial;
  try {
    const object = await send();
    return isChanged?.(object) === true
      ? { ...base, state: "ok", message: `It acts: ${tries} was changed.` }
      : { ...base, state: "problem", message: `It does not act: ${tries} was accepted as it is.`, fix: inertFix };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const because = oneLine(error.message);
    if (isChanged === undefined && isRefusedBy(shipped, because))
      return { ...base, state: "ok", message: `It acts: ${tries} was refused.` };
    return { ...base, state: "unknown", message: `It cannot be tried: ${because}`, fix: askWhoMay(requires) };
  }
}

const inertFix =
  "Wait a minute after a change of the policy or of its binding, and try again. If another line is about the policy or about RBAC, follow that first; else apply your overlay of deploy/kustomize again, or helm upgrade with your values.";

/** Whether the message of the API server says that the policy refused the request, with the class of an operator or without. */
function isRefusedBy(shipped: string, message: string): boolean {
  const [, name = ""] = /AdmissionPolicy '([^']+)' with binding/.exec(message) ?? [];
  return name === shipped || name.startsWith(`${shipped}-`);
}

/** Whoever may do this anyway can try it: to give somebody the right to write, for a check, would be wrong. */
function askWhoMay(who: string): Note {
  return { text: `Ask an administrator, or somebody who may ${who}, to run:`, command: "muster doctor" };
}

function trialOf(
  { kube, signal, operator, isOperator, tenants }: DryRunSources,
  shipped: string,
): Trial | Untried | undefined {
  const options = { signal, dryRun: true };
  const tenant = tenants.state === "found" ? tenants.value[0]?.metadata.name : undefined;
  const onTenants = { verb: "patch", group: tenantResource.group, resource: tenantResource.plural };
  switch (shipped) {
    case "muster-reserved":
      // The operator may write it.
      if (isOperator) return undefined;
      if (tenant === undefined) return withoutTenant(tenants);
      return {
        tries: `a forged status of Tenant ${tenant}`,
        requires: rightText({ ...onTenants, subresource: "status" }),
        send: () =>
          kube.patch(
            tenantResource,
            undefined,
            tenant,
            { status: { ownerId: "muster-doctor" } },
            {
              ...options,
              subresource: "status",
            },
          ),
      };
    case "muster-operator-writes": {
      if (tenant === undefined) return withoutTenant(tenants);
      const body = { metadata: { labels: { "iam.muster.dev/doctor": "true" } } };
      return {
        tries: `a label that the operator puts on Tenant ${tenant}`,
        requires: isOperator ? rightText(onTenants) : `impersonate the service account ${userOf(operator)}`,
        send: () =>
          kube.patch(tenantResource, undefined, tenant, body, {
            ...options,
            ...(isOperator ? {} : { asUser: userOf(operator) }),
          }),
      };
    }
    case "muster-finalizer": {
      if (isOperator) return undefined;
      const resource = resourceKindOf(groupDefinition);
      const body = { apiVersion, kind: "Group", metadata: { generateName }, spec: { parentUid: "0".repeat(40) } };
      return {
        tries: `a new Group in namespace ${namespace}`,
        requires: rightText({ verb: "create", group: resource.group, resource: resource.plural, namespace }),
        send: () => kube.create(resource, namespace, body, options),
        isChanged: ({ metadata }) => metadata.finalizers?.includes(finalizer) === true,
      };
    }
    case "muster-identity-required": {
      if (isOperator) return undefined;
      const metadata = { generateName, labels: { [identityLabel]: "muster-doctor" } };
      const spec = { containers: [{ name: "muster-doctor", image: "muster-doctor" }] };
      return {
        tries: `a pod in namespace ${namespace} whose Identity does not exist`,
        requires: rightText({ verb: "create", group: "", resource: "pods", namespace }),
        send: () => kube.create(podResource, namespace, { apiVersion: "v1", kind: "Pod", metadata, spec }, options),
      };
    }
    default:
      return undefined;
  }
}
