import type { Reading } from "#src/commands/reader/cluster-reads.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { Link } from "#src/commands/why/link.ts";
import { tenantLink } from "#src/commands/why/tenant-finding.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { oneLine } from "#src/telemetry/one-line.ts";
import { shortList } from "#src/text/short-list.ts";

const shownTenants = 10;
/** More classes are not named. */
const shownClasses = 5;

/** The Tenants of a class that are not Ready, of which ten are shown; one line if all are. */
export function tenantLinks(read: Reading<readonly KubeObject[]>, operatorClass: string): readonly Link[] {
  const base = { link: "Tenant", subject: "Tenants" };
  if (read.state === "absent") return [];
  if (read.state === "unknown")
    return [{ ...base, state: "unknown", message: `They cannot be listed: ${read.because}`, fix: read.fix }];
  const tenants = read.value.map((tenant) => parseTenant(tenant));
  const served = tenants.filter((tenant) => tenant.class === operatorClass);
  if (served.length === 0)
    return [{ ...base, state: "problem", reason: "NoTenant", ...noneOf(tenants, operatorClass) }];
  const problems = served.map((tenant) => tenantLink(tenant)).filter(({ state }) => state === "problem");
  return problems.length === 0
    ? [{ ...base, state: "ok", message: `${served.length} of ${served.length} Ready.` }]
    : problems
        .slice(0, shownTenants)
        .map((link) => ({ ...link, fix: { text: "Find the cause:", command: `muster why ${link.subject}` } }));
}

/** That no Tenant has the class. @param tenants those of other classes */
function noneOf(tenants: readonly CachedTenant[], operatorClass: string): Pick<Link, "message" | "fix"> {
  if (tenants.length === 0)
    return {
      message: "There is no Tenant, so nothing is done for any object.",
      fix: "Create a Tenant: muster bootstrap prints a first one.",
    };
  const which = operatorClass === "" ? "without a class" : `of the class ${operatorClass}`;
  return {
    message: `There is no Tenant ${which}, so this operator does nothing for any object. There ${countsOf(tenants)}.`,
    fix: "Give --class to check the operator of that class. Or create a Tenant: muster bootstrap prints a first one.",
  };
}

/** How many Tenants there are of each class, such as `is 1 Tenant of the class blue`. */
function countsOf(tenants: readonly CachedTenant[]): string {
  const counts = [...Map.groupBy(tenants, (tenant) => tenant.class)].map(([name, { length }]) => {
    const those = length === 1 ? "1 Tenant" : `${length} Tenants`;
    return name === "" ? `${those} without a class` : `${those} of the class ${oneLine(name)}`;
  });
  return `${tenants.length === 1 ? "is" : "are"} ${shortList(counts, shownClasses)}`;
}
