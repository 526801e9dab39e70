import type { Undeclared } from "#src/api/status.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { permitsResource } from "#src/reconcile/tenancy/boundary.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { Finding } from "./findings.ts";
import { grantOf, roleGrantedBy } from "#src/platform-client/grant.ts";

/** What the status shows of a finding. */
export function describeFinding({ boundary }: TenantContext, { kind, external, firstSeenTime }: Finding): Undeclared {
  const grant = grantOf(external);
  const name = kind.collection.nameOf(external);
  const role = roleGrantedBy(external);
  const mayShowRole = role !== undefined && (parentOf(role.uid) === undefined || permitsResource(boundary, role.uid));
  return {
    kind: kind.name,
    uid: external.uid,
    ...(name === undefined || name === "" ? {} : { name }),
    ...(grant === undefined ? {} : { identityUid: grant.identity.uid }),
    ...(role === undefined ? {} : { role: mayShowRole && role.name !== "" ? role.name : role.uid }),
    firstSeenTime,
  };
}

/** What identifies a resource that is created again under another uid. */
export function recurrenceKey({ kind: { name, collection }, external }: Finding): string {
  const key = grantOf(external) === undefined ? collection.nameOf(external) : collection.naturalKeyOf(external);
  return `${name} ${collection.uids.parentOf(external.uid) ?? ""} ${key ?? external.uid}`;
}
