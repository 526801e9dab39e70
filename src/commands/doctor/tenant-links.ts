import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { Link } from "#src/commands/why/link.ts";
import { tenantLink } from "#src/commands/why/tenant-finding.ts";
import { parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";

const shownTenants = 10;

/** The Tenants of a class that are not Ready, of which ten are shown; one line if all are. */
export async function tenantLinks(cluster: ClusterReads, operatorClass: string): Promise<readonly Link[]> {
  const base = { link: "Tenant", subject: "Tenants" };
  const read = await cluster.list(tenantResource);
  if (read.state === "absent") return [];
  if (read.state === "unknown")
    return [{ ...base, state: "unknown", message: `They cannot be listed: ${read.because}`, fix: read.fix }];
  const served = read.value.map((tenant) => parseTenant(tenant)).filter((tenant) => tenant.class === operatorClass);
  if (served.length === 0)
    return [
      {
        ...base,
        state: "problem",
        reason: "NoTenant",
        message: "There is no Tenant, so nothing is done for any object.",
        fix: "Create a Tenant: muster bootstrap prints a first one.",
      },
    ];
  const problems = served.map((tenant) => tenantLink(tenant)).filter(({ state }) => state === "problem");
  return problems.length === 0
    ? [{ ...base, state: "ok", message: `${served.length} of ${served.length} Ready.` }]
    : problems
        .slice(0, shownTenants)
        .map((link) => ({ ...link, fix: { text: "Find the cause:", command: `muster why ${link.subject}` } }));
}
