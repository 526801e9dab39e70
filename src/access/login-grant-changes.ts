import { parentOf } from "#src/platform/contract/uid.ts";
import type { AccessModel } from "./access-model.ts";
import type { LoginGrant } from "./access-state.ts";
import { groupOfGrant, openLoginGrants, unreadLoginGrants } from "./login-grants.ts";
import type { Unread } from "./unread.ts";

/** What people get after a change when they log in, and did not get before, or the reverse. */
export interface LoginGrantChange {
  readonly change: "gains" | "loses";
  readonly grant: LoginGrant;
}

/** What they gain before what they lose. @param now milliseconds since the epoch */
export function loginGrantChanges(before: AccessModel, after: AccessModel, now: number): readonly LoginGrantChange[] {
  const exceeding = (change: LoginGrantChange["change"], from: AccessModel, to: AccessModel): LoginGrantChange[] => {
    const had = new Set(openLoginGrants(from, now).map((grant) => effectOf(from, grant)));
    const has = openLoginGrants(to, now).filter((grant) => !had.has(effectOf(to, grant)));
    return has.map((grant) => ({ change, grant }));
  };
  return [...exceeding("gains", before, after), ...exceeding("loses", after, before)];
}

/** Where the role of a login may have changed unseen. @param roles the uids of the roles that change */
export function unreadLoginGrantsWith(roles: ReadonlySet<string>, after: AccessModel, now: number): readonly Unread[] {
  const groups = [...roles].flatMap((uid) => parentOf(uid) ?? []);
  return [...new Set(groups)].flatMap((group) => unreadLoginGrants(after, group, now, true));
}

/** A text that is the same for what gives the same to the same people. A provider may be created again; an invite has a code of its own. */
function effectOf({ roles }: AccessModel, grant: LoginGrant): string {
  const people =
    grant.through === "identityProvider"
      ? [grant.issuer, grant.clientId]
      : [grant.uid, grant.email, String(grant.expirationTime), String(grant.singleUse)];
  const capabilities = [...(roles.get(grant.role.uid)?.capabilities ?? [])].toSorted();
  return JSON.stringify([groupOfGrant(grant), grant.through, people, grant.role.uid, capabilities]);
}
