import { ancestorsOf, isWithin, parentOf, rootOf } from "#src/platform/contract/uid.ts";
import type { AccessModel } from "./access-model.ts";
import type { KnownIdentity, LoginGrant } from "./access-state.ts";
import { callerCan } from "./caller-can.ts";
import { type Unread, unreadRoles } from "./unread.ts";

/** The group in which, and below which, people get the role. */
export function groupOfGrant({ uid }: LoginGrant): string {
  return parentOf(uid) ?? "";
}

/** What people can get today, from the root down, through providers before invites. @param now milliseconds since the epoch: an invite that has expired gives nothing */
export function openLoginGrants({ state }: AccessModel, now: number): readonly LoginGrant[] {
  const isOpen = (grant: LoginGrant) =>
    grant.through === "identityProvider" ||
    grant.expirationTime === undefined ||
    Date.parse(grant.expirationTime) > now;
  return state.loginGrants.filter(isOpen).toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

function orderOf(grant: LoginGrant): string {
  return `${groupOfGrant(grant)} ${grant.through === "identityProvider" ? 1 : 2} ${grant.uid}`;
}

/** Whether its role has the capability; undefined if the role cannot be read. */
function grantGives({ roles }: AccessModel, { role }: LoginGrant, capability: string): boolean | undefined {
  return roles.get(role.uid)?.capabilities.has(capability);
}

/** What gives a capability on `at`, or may give it, to people who log in. */
export function loginGrantsOn(model: AccessModel, capability: string, at: string, now: number): readonly LoginGrant[] {
  return openLoginGrants(model, now).filter(
    (grant) => isWithin(groupOfGrant(grant), at) && grantGives(model, grant, capability) !== false,
  );
}

/**
 * What those may get in addition who can assume an identity: through providers of the same issuer, and with the invites that such a
 * provider permits, which are those of its group and of the groups below. What is unknown of the identity is possible.
 */
export function loginGrantsFor(model: AccessModel, identity: string, now: number): readonly LoginGrant[] {
  const open = openLoginGrants(model, now);
  const known = model.identities.get(identity);
  const theirs = open.filter((grant) => grant.through === "identityProvider" && mayBeOf(known, grant.issuer));
  const invites = open.filter(
    (grant) =>
      grant.through === "groupInvite" &&
      theirs.some((provider) => isWithin(groupOfGrant(provider), groupOfGrant(grant))),
  );
  return [...theirs, ...invites];
}

/** Whether people of the issuer may be able to assume the identity. */
function mayBeOf(identity: KnownIdentity | undefined, issuer: string): boolean {
  if (identity === undefined) return true;
  const { conditions, method } = identity.assumedBy;
  const wanted = conditions.find(({ name }) => name === "issuer")?.value;
  return method === "unknown" || (method === "claimMatch" && (wanted === undefined || wanted === issuer));
}

const listCapabilities = {
  identityProviders: "CAP_IAM_IDENTITY_PROVIDERS_LIST",
  groupInvites: "CAP_IAM_GROUP_INVITES_LIST",
} as const;

/** Where it is unknown what those may get in addition who can assume the identity: in its organization. */
export function unreadLoginGrantsFor(model: AccessModel, identity: string, now: number): readonly Unread[] {
  return unreadLoginGrants(model, rootOf(identity), now, true);
}

/** The roles of grants that cannot be read, so that it is unknown what the grants give. @param reported what is reported already */
export function unreadLoginRoles(
  { roles }: AccessModel,
  grants: readonly LoginGrant[],
  reported: readonly Unread[],
): readonly Unread[] {
  const known = new Set(reported.flatMap((one) => (one.what === "role" ? [one.role] : [])));
  return unreadRoles(grants.filter(({ role: { uid } }) => !roles.has(uid) && !known.has(uid)));
}

/** In which groups that contain `at`, and in `at`, it is unknown what people get who log in. @param below whether also below `at` */
export function unreadLoginGrants(model: AccessModel, at: string, now: number, below = false): readonly Unread[] {
  return (["identityProviders", "groupInvites"] as const).flatMap((what) => {
    const groups = [...ancestorsOf(at), at].filter((group) => !callerCan(model, listCapabilities[what], group, now));
    return groups.length === 0 ? [] : [{ what, groups, below: below && groups.includes(at) }];
  });
}
