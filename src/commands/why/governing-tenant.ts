import type { ClusterReads, Reading } from "#src/commands/reader/cluster-reads.ts";
import type { Note } from "#src/commands/output/note.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import { namespaceResource } from "#src/kube/namespaces.ts";
import { shellWord } from "#src/kube/right.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { type CachedTenant, isBeingDeleted, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { isSelected } from "#src/reconcile/tenancy/namespace-selection.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import type { Link } from "./link.ts";
import { fixOf } from "./object-link.ts";

/** Which Tenant governs a namespace, or the link that says why that is none, or unknown. */
export type Governing = { readonly tenant: CachedTenant } | { readonly link: Link };

/**
 * Reads which Tenant governs the objects of a namespace.
 * @param named the Tenant that an object's status names, for a caller who may not list Tenants
 */
export async function governingTenant(
  cluster: ClusterReads,
  namespace: string,
  named: string | undefined,
): Promise<Governing> {
  const base = { link: "Tenant", subject: `Tenants of namespace ${namespace}` };
  const [tenants, labels] = await Promise.all([
    cluster.list<KubeObject>(tenantResource),
    cluster.get<KubeObject>(namespaceResource, undefined, namespace),
  ]);
  if (tenants.state !== "found") return await namedTenant(cluster, named, base, tenants);
  const parsed = tenants.value.map((tenant) => parseTenant(tenant));
  const known = labels.state === "found" ? (labels.value.metadata.labels ?? {}) : undefined;
  const selecting = parsed.filter(
    (tenant) => !isBeingDeleted(tenant) && tenant.spec !== undefined && isSelected(tenant.spec, namespace, known),
  );
  const [first, second] = selecting;
  if (second !== undefined) {
    const names = selecting.map(({ metadata }) => metadata.name).join(", ");
    return problem(base, "Overlap", `Several Tenants select the namespace ${namespace}: ${names}.`);
  }
  if (first !== undefined) return { tenant: first };
  const invalid = parsed.find(({ metadata, spec }) => spec === undefined && metadata.name === named);
  if (invalid !== undefined) return { tenant: invalid };
  if (labels.state === "unknown")
    return {
      link: {
        ...base,
        state: "unknown",
        message: `Which Tenant governs the namespace is unknown, because its labels cannot be read: ${labels.because}`,
        fix: labels.fix,
      },
    };
  return problem(base, "NoTenant", `No Tenant selects the namespace ${namespace}.`);
}

async function namedTenant(
  cluster: ClusterReads,
  named: string | undefined,
  base: Pick<Link, "link" | "subject">,
  failed: Reading<unknown>,
): Promise<Governing> {
  const because = failed.state === "unknown" ? failed.because : "the CRD of Tenants does not exist";
  const fix =
    failed.state === "absent"
      ? { text: "Find out what is installed:", command: "muster doctor" }
      : askAdministrator("get tenants.iam.muster.dev");
  if (named === undefined)
    return {
      link: { ...base, state: "unknown", message: `Which Tenant governs the namespace is unknown: ${because}`, fix },
    };
  const tenant = await cluster.get<KubeObject>(tenantResource, undefined, named);
  if (tenant.state === "found") return { tenant: parseTenant(tenant.value) };
  const subject = `Tenant/${oneLine(named)}`;
  const message =
    tenant.state === "absent"
      ? "The Tenant that the status names does not exist."
      : `It governs the object, and cannot be read: ${tenant.because}`;
  const further =
    tenant.state === "absent" ? fix : askAdministrator(`describe tenants.iam.muster.dev ${shellWord(named)}`);
  return { link: { link: "Tenant", subject, state: "unknown", message, fix: further } };
}

/**
 * What a Tenant says of other namespaces is not for the people of this one: nobody is given the right to read it. A message that
 * denies something says what the Tenant permits instead.
 */
function askAdministrator(request: string): Note {
  return {
    text: "If the message of the object does not say enough, ask an administrator, who may read Tenants, to run:",
    command: `kubectl ${request}`,
  };
}

function problem(base: Pick<Link, "link" | "subject">, reason: string, message: string): Governing {
  return { link: { ...base, state: "problem", reason, message, ...fixOf(reason) } };
}
