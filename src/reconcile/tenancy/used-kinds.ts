import { defaultKinds } from "#src/api/tenant.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { permitsKind } from "./boundary.ts";
import type { Tenancy } from "./tenancy.ts";

/**
 * Whether the resources of the kind are of interest to the session: it is one of those that every Tenant may have, or a
 * Tenant of the session permits it.
 */
export function isUsedBy({ contexts }: Pick<Tenancy, "contexts">, session: PlatformSession, kind: string): boolean {
  return (
    defaultKinds.some((one) => one === kind) ||
    Iterator.from(contexts).some((context) => context.session === session && permitsKind(context.boundary, kind))
  );
}
