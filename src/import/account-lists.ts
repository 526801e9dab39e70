import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import type { Fields } from "#src/kinds/kind.ts";

/** The bound of each list of a Tenant. What does not fit is not permitted. */
const maxAccounts = 256;

/**
 * The lists of a Tenant that permit the accounts to which groups are linked, and the AWS accounts of identities. An empty list is
 * absent.
 */
export function accountLists(linked: readonly LinkedAccounts[], awsAccounts: readonly string[]): Fields {
  const lists = {
    awsAccounts: distinct([...awsAccounts, ...linked.flatMap(({ amazon }) => amazon?.account ?? [])]),
    // The API server refuses two entries with one ID: what needs the other number is not permitted.
    googleProjects: distinct(
      linked.flatMap(({ google }) => google ?? []),
      ({ projectId }) => projectId,
    ),
    azureTenants: distinct(linked.flatMap(({ azure }) => azure?.tenantId ?? [])),
    githubInstallations: distinct(
      linked
        .flatMap(({ github }) => github?.apps ?? [])
        .flatMap(({ installations }) => installations.map(({ installationId }) => installationId)),
    ),
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([field, list]) => (list.length === 0 ? [] : [[field, list.slice(0, maxAccounts)]])),
  );
}

/** The items in one order, of those with the same key the first one. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string = textOf): readonly T[] {
  const ordered = items.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  return [...Map.groupBy(ordered, keyOf).values()].flatMap((equal) => equal.slice(0, 1));
}

function textOf(item: unknown): string {
  return JSON.stringify(item);
}
