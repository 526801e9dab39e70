import type { ExternalResource } from "#src/platform-client/collection.ts";
import { isWithin, parentOf } from "#src/platform-client/uid.ts";

/** The fields of the resources that give a role to people: `role` of an invite, `defaultRole` of an identity provider. */
interface GivesRole {
  readonly role?: { readonly uid?: string };
  readonly defaultRole?: string;
  readonly expirationTime?: string;
}

/** The fields of a request that name a role which it gives. */
const roleFields = ["roleUid", "defaultRole"] as const;

/** The field in which a request gives a role that cannot be bound in `group`: a custom one is bound in its own group and below it. */
export function outOfReach(body: Readonly<Record<string, unknown>>, group: string): string | undefined {
  return roleFields.find((field) => {
    const role = body[field];
    const home = typeof role === "string" ? parentOf(role) : undefined;
    return home !== undefined && !isWithin(group, home);
  });
}

/** The collections of these resources, by their names. */
export const givingRoles: ReadonlySet<string> = new Set(["groupInvites", "identityProviders"]);

/** Whether the platform keeps the role because of the resource. @param now milliseconds since the epoch */
export function givesRole(resource: ExternalResource, role: string, now: number): boolean {
  const { role: own, defaultRole } = resource as ExternalResource & GivesRole;
  return (own?.uid === role || defaultRole === role) && !hasExpired(resource, now);
}

/** Whether the resource is an invite that has expired: the platform counts it no longer. @param now milliseconds since the epoch */
export function hasExpired(resource: ExternalResource, now: number): boolean {
  const { expirationTime = "" } = resource as ExternalResource & GivesRole;
  return Date.parse(expirationTime) <= now;
}
