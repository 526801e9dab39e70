import type { LoginGrant } from "#src/access/access-state.ts";
import { groupOfGrant, unreadLoginRoles } from "#src/access/login-grants.ts";
import type { Unread } from "#src/access/unread.ts";
import {
  type AccessView,
  type DeclaredBy,
  declaredText,
  dottedNames,
  type GroupView,
  type UnreadView,
} from "./access-view.ts";

/** A role that people get when they log in, as JSON and YAML have it. */
export interface LoginGrantView {
  readonly through: LoginGrant["through"];
  /** The uid of the identity provider or of the invite. */
  readonly uid: string;
  readonly role: { readonly uid: string; readonly name: string };
  /** By dotted names. Absent if the role cannot be read. */
  readonly capabilities?: readonly string[];
  /** They get it in the group, and in every group below it. */
  readonly group: GroupView;
  readonly declaredBy: DeclaredBy;
  /** Of an identity provider. */
  readonly provider?: { readonly name: string; readonly issuer: string; readonly clientId: string };
  /** Of an invite. */
  readonly invite?: {
    readonly keyId: string;
    /** Empty: of anybody. */
    readonly email: string;
    readonly singleUse: boolean;
    /** RFC 3339. */
    readonly expirationTime?: string;
  };
  /** Who gets it, such as `anybody who logs in through the identity provider web (issuer …)`. */
  readonly who: string;
}

/** Login grants of an answer, and all that is unknown in it. */
export interface ShownLogins {
  readonly loginGrants: readonly LoginGrantView[];
  readonly unknown: readonly UnreadView[];
}

/**
 * Shows login grants, and what cannot be read: also their roles, each once.
 * @param unread what the answer without them would need. @param unreadGrants where there may be more of them
 */
export function shownLogins(
  view: AccessView,
  grants: readonly LoginGrant[],
  { unread, unreadGrants }: Readonly<Record<"unread" | "unreadGrants", readonly Unread[]>>,
): ShownLogins {
  const all = [...unread, ...unreadLoginRoles(view.model, grants, unread), ...unreadGrants];
  return {
    loginGrants: grants.map((grant) => loginGrantView(view, grant)),
    unknown: all.map((one) => view.unread(one)),
  };
}

export function loginGrantView(view: AccessView, grant: LoginGrant): LoginGrantView {
  const { role, through, uid } = grant;
  const known = view.model.roles.get(role.uid);
  return {
    through,
    uid,
    role: { uid: role.uid, name: view.roleName(role.uid) ?? (role.name || role.uid) },
    ...(known === undefined ? {} : { capabilities: dottedNames(known.capabilities) }),
    group: view.group(groupOfGrant(grant)),
    declaredBy: view.declaredBy(uid),
    ...detailsOf(grant),
    who: whoGets(grant),
  };
}

function detailsOf(grant: LoginGrant): Pick<LoginGrantView, "provider" | "invite"> {
  if (grant.through === "identityProvider") {
    const { clientId, issuer, name } = grant;
    return { provider: { name, issuer, clientId } };
  }
  const { email, expirationTime, keyId, singleUse } = grant;
  return { invite: { keyId, email, singleUse, ...(expirationTime === undefined ? {} : { expirationTime }) } };
}

function whoGets(grant: LoginGrant): string {
  if (grant.through === "identityProvider")
    return `anybody who logs in through the identity provider ${grant.name} (issuer ${grant.issuer})`;
  const { email, expirationTime, keyId, singleUse } = grant;
  const who = singleUse ? "the first who logs in" : "anybody who logs in";
  const until = expirationTime === undefined ? "" : ` until ${expirationTime}`;
  const address = email === "" ? "" : `, with the verified e-mail address ${email},`;
  return `${who} with the code of ${keyId === "" ? "a new invite" : `the invite ${keyId}`}${until}${address}`;
}

function declarationText(declaredBy: DeclaredBy): string {
  if (declaredBy === "unknown") return "";
  return declaredBy === "undeclared" ? ", which no object declares" : `, declared by ${declaredText(declaredBy)}`;
}

/** One sentence, such as `Anybody who logs in through the identity provider web (issuer …) gets viewer in acme/shop and below.` */
export function loginGrantText({ declaredBy, group, role, who }: LoginGrantView): string {
  const declared = declarationText(declaredBy);
  return `${who.charAt(0).toUpperCase()}${who.slice(1)} gets ${role.name} in ${group.path} and below${declared}.`;
}
