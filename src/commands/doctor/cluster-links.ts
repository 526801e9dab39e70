import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { leaseRights, operatorRights } from "#src/commands/operator/operator-rights.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import type { ClusterReads, Reading } from "#src/commands/reader/cluster-reads.ts";
import { leaderLink } from "#src/commands/why/leader-link.ts";
import type { Link } from "#src/commands/why/link.ts";
import { rightsLink } from "#src/commands/why/rights-link.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { type Lease, leaseResource } from "#src/kube/lease-client.ts";
import { definitionLink } from "./definition-links.ts";
import { type DryRunSources, dryRunLink } from "./dry-run-links.ts";
import { checkPolicy } from "./policy-link.ts";
import { shippedPolicies } from "./shipped-policies.ts";
import { tenantLinks } from "./tenant-links.ts";

export interface ClusterQuestion extends Omit<DryRunSources, "tenants"> {
  readonly cluster: ClusterReads;
  readonly kinds: readonly Kind[];
  readonly class: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the operator needs of Kubernetes. */
export async function clusterLinks(question: ClusterQuestion): Promise<readonly Link[]> {
  const { cluster, isOperator, kinds, now, operator } = question;
  const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];
  const rights = [...operatorRights(kinds), ...leaseRights(operator)];
  const lease = cluster.get<Lease>(leaseResource, operator.namespace, operator.name);
  const links = await Promise.all([
    ...definitions.map((definition) => definitionLink(cluster, definition, definitions)),
    rightsLink(cluster, operator, rights, isOperator),
    lease.then((read) => leaderLink(read, operator, now)),
  ]);
  const tenants = await cluster.list(tenantResource);
  return [...links, ...(await policyLinks(question, tenants)), ...tenantLinks(tenants, question.class)];
}

/** Whether the admission policies are as they are shipped, and act. */
async function policyLinks(
  question: ClusterQuestion,
  tenants: Reading<readonly KubeObject[]>,
): Promise<readonly Link[]> {
  const { cluster, kinds } = question;
  const policies = shippedPolicies(kinds.map(({ definition }) => resourceKindOf(definition).plural));
  const links = await Promise.all(
    policies.map(async (shipped) => {
      const { installed, link } = await checkPolicy(cluster, shipped, policies, question.class);
      const tried =
        installed === undefined ? undefined : await dryRunLink({ ...question, tenants }, shipped.name, installed);
      return tried === undefined ? [link] : [link, tried];
    }),
  );
  return links.flat();
}
