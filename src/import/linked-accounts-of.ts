import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import type { ExternalAccountAssociation } from "#src/kinds/account-association.ts";

/**
 * The accounts of an association in the form of a spec, which need not be valid there: the platform accepts more. Their order
 * does not depend on the platform's.
 */
export function linkedAccountsOf({ amazon, google, azure, github }: ExternalAccountAssociation): LinkedAccounts {
  return {
    ...(isPresent(amazon) ? { amazon } : {}),
    ...(isPresent(google) ? { google } : {}),
    ...(isPresent(azure) ? { azure: azureOf(azure) } : {}),
    ...(isPresent(github) ? { github: { apps: appsOf(github) } } : {}),
  };
}

/** An installation that one GitHub App has twice; the API server refuses it, and the schema does not say so. */
export function repeatedInstallation({ github }: LinkedAccounts): string | undefined {
  return github?.apps
    .flatMap(({ installations }) => installations.map(({ installationId }) => installationId))
    .find((id) => github.apps.some(({ installations }) => isRepeated(installations, id)));
}

type Azure = NonNullable<ExternalAccountAssociation["azure"]>;
type Github = NonNullable<ExternalAccountAssociation["github"]>;
type Apps = NonNullable<LinkedAccounts["github"]>["apps"];

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

function azureOf({ tenantId, clientIds }: Azure): NonNullable<LinkedAccounts["azure"]> {
  const named = inOrder(Object.entries(clientIds), ([name]) => name);
  return { tenantId, ...(named.length === 0 ? {} : { clientIds: Object.fromEntries(named) }) };
}

function appsOf({ appInstallations }: Github): Apps {
  return inOrder(Object.entries(appInstallations), ([appId]) => appId).map(([appId, { installations }]) => ({
    appId,
    installations: inOrder(installations, ({ installationId }) => installationId).map(({ installationId, name }) => ({
      installationId,
      ...(name === "" ? {} : { name }),
    })),
  }));
}

function isRepeated(installations: Apps[number]["installations"], id: string): boolean {
  return installations.filter(({ installationId }) => installationId === id).length > 1;
}

function inOrder<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}
