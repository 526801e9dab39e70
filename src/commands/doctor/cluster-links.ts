import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { leaseRights, operatorRights } from "#src/commands/operator/operator-rights.ts";
import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import type { OperatorPlace } from "#src/commands/reader/operator-place.ts";
import { leaderLink } from "#src/commands/why/leader-link.ts";
import type { Link } from "#src/commands/why/link.ts";
import { rightsLink } from "#src/commands/why/rights-link.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { type Lease, leaseResource } from "#src/kube/lease-client.ts";
import { definitionLink } from "./definition-links.ts";
import { policyLink, policyNames } from "./policy-link.ts";
import { tenantLinks } from "./tenant-links.ts";

export interface ClusterQuestion {
  readonly cluster: ClusterReads;
  readonly kinds: readonly Kind[];
  readonly operator: OperatorPlace;
  readonly class: string;
  /** Whether the caller is the operator's service account. */
  readonly isOperator: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the operator needs of Kubernetes. */
export async function clusterLinks(question: ClusterQuestion): Promise<readonly Link[]> {
  const { cluster, isOperator, kinds, now, operator } = question;
  const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];
  const plurals = definitions.map((definition) => resourceKindOf(definition).plural);
  const rights = [...operatorRights(kinds), ...leaseRights(operator)];
  const lease = cluster.get<Lease>(leaseResource, operator.namespace, operator.name);
  const links = await Promise.all([
    ...definitions.map((definition) => definitionLink(cluster, definition, definitions)),
    ...policyNames.map((name) => policyLink(cluster, name, plurals, question.class)),
    rightsLink(cluster, operator, rights, isOperator),
    lease.then((read) => leaderLink(read, operator, now)),
  ]);
  return [...links, ...(await tenantLinks(cluster, question.class))];
}
