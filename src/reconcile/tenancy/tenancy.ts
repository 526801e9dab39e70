import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Boundary } from "./boundary.ts";

/** With which credential, and within which boundary, the objects of some namespaces are reconciled. */
export interface TenantContext {
  readonly session: PlatformSession;
  readonly boundary: Boundary;
  /** The identity that the session acts as. Muster never manages it, nor its role bindings. */
  readonly identity: string;
  /** Increases with every token exchange of the session. */
  readonly credentialEpoch: () => number;
}

/** Maps namespaces to tenants. */
export interface Tenancy {
  /** The context for the objects of `namespace`. */
  contextOf(namespace: string): TenantContext;
  /** Every context, once. */
  readonly contexts: readonly TenantContext[];
}

/** All namespaces share one credential and one boundary. */
export function singleTenant(context: TenantContext): Tenancy {
  return { contextOf: () => context, contexts: [context] };
}
