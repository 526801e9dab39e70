import type { Tenancy, TenantContext } from "./tenancy.ts";

/** One Tenant governs all namespaces, and lists these identities for emergencies. */
export function singleTenant(context: TenantContext, breakGlass: readonly string[] = []): Tenancy {
  return {
    governanceOf: () => ({ by: "tenant", context, serves: "everything" }),
    isTerminating: () => false,
    contexts: [context],
    sessions: [context.session],
    namespacesOf: () => undefined,
    onSession: (listener) => listener(context.session),
    onChange: () => undefined,
    credentialIdentities: new Set([context.identity]),
    breakGlassIdentities: new Set(breakGlass),
  };
}
