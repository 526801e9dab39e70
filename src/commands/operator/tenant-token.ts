import type { KubeApi } from "#src/kube/api.ts";
import type { ReadSubjectToken } from "#src/platform-client/subject-token-file.ts";

/** The shortest lifetime that Kubernetes issues. A token is exchanged at once. */
const tokenSeconds = 600;

export interface TenantTokenOptions {
  readonly kube: KubeApi;
  /** The operator's own namespace: whoever may edit another one could request the tokens of its accounts. */
  readonly namespace: string;
  /** The token service, whose host name is the audience that it expects. */
  readonly authUrl: URL;
}

/** Requests a token of the service account of a Tenant from Kubernetes, for each exchange. */
export function tenantToken(
  tenant: string,
  { kube, namespace, authUrl }: TenantTokenOptions,
  signal: AbortSignal,
): ReadSubjectToken {
  const account = tenantAccount(tenant);
  const request = { audiences: [authUrl.hostname], expirationSeconds: tokenSeconds };
  return async () => {
    const { token } = await kube.createToken(namespace, account, request, { signal }).catch((error: Error) => {
      throw new Error(
        `Kubernetes issues no token of the service account ${account} in namespace ${namespace}: ${error.message}. Create the account, and allow the operator to create serviceaccounts/token for it`,
        { cause: error },
      );
    });
    return token;
  };
}

/** The name of the service account of a Tenant with `credentials.type: ServiceAccount`. */
export function tenantAccount(tenant: string): string {
  return `muster-tenant-${tenant}`;
}
