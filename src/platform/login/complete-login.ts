import { builtinRole, ownerRole } from "../authorization/builtin-roles.ts";
import type { Actor } from "../authorization/caller.ts";
import { initialStamp, securityStampOf } from "../authorization/security-stamp.ts";
import type { AuditCharges } from "../audit/audit-charges.ts";
import { AuthoredWriter, type CallDetails } from "../audit/authored-writer.ts";
import { identityEvent } from "../audit/security-event.ts";
import type { RecordEvent } from "../audit/write-with-event.ts";
import { groups } from "../collections/groups.ts";
import { isWithin, newUidIn, parentOf } from "../contract/uid.ts";
import type { GroupInvite } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import type {
  IdentityProvider,
  IdentityProvider_OIDC as OIDC,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import type { Role } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { oidcOf } from "../iam/client-secret.ts";
import { updateLastSeen } from "../iam/last-seen.ts";
import { grantsWithRole, hydrate } from "../iam/role-binding-rows.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { roles } from "../collections/roles.ts";
import type { PlatformSettings } from "../service/platform-settings.ts";
import { type Reader, statement, type Writer } from "../store/database.ts";
import { endInvite, hasRedeemed, inviteFor } from "./invites.ts";
import type { LoginGrant } from "./login-grant.ts";
import type { LoginRequest, Person } from "./login-request.ts";
import { OAuthError, refused } from "./oauth-error.ts";
import type { PlannedIdentity } from "./pending-login.ts";
import { bind, claimsOf, createPerson, findPerson, setPerson } from "./people.ts";
import { groupOf, providersFor } from "./providers.ts";
import { isPublicIssuer } from "./public-issuers.ts";
import { vouchedPerson } from "./vouched-person.ts";

/** A person whom an identity provider has authenticated, for a request. */
export interface AuthenticatedLogin {
  readonly request: LoginRequest;
  /** The uid of the provider. */
  readonly provider: string;
  readonly person: Person;
}

/** A role in a group, as a page shows it. */
export interface ShownRole {
  readonly role: string;
  readonly group: string;
}

/** What a login would do. */
export interface LoginPlan {
  readonly identity: PlannedIdentity;
  readonly name: string;
  readonly provider: string;
  readonly group: string;
  /** The roles that the identity has, or would have. */
  readonly roles: readonly ShownRole[];
  /** How many more roles there are. */
  readonly moreRoles: boolean;
  /** The role that an invite adds. */
  readonly invited: ShownRole | undefined;
}

/** How many roles a page shows. */
const shownRoles = 20;

/** A wrong invite. The person does not learn what is wrong with it. */
export class InviteError extends OAuthError {}

const bindingsOf = statement((db, p: { identity: string; limit: number }) =>
  db.selectFrom("role_bindings").select("uid").where("identity_uid", "=", p.identity).orderBy("uid").limit(p.limit),
);

/** What was decided about a login, in a transaction. */
interface Decision {
  readonly provider: IdentityProvider;
  readonly oidc: OIDC;
  readonly providerGroup: string;
  /** The uid of the identity; undefined for a first login. */
  readonly identity: string | undefined;
  /** The role of a first login. */
  readonly defaultRole: Role | undefined;
  /** The invite that the login redeems. */
  readonly invite: { readonly invite: GroupInvite; readonly group: string; readonly role: Role } | undefined;
}

/**
 * What the login would do, for the page that asks the person.
 * @throws OAuthError (access_denied) if it is refused
 */
export async function planLogin(
  reader: Reader,
  login: AuthenticatedLogin,
  now: number,
  settings: PlatformSettings,
): Promise<LoginPlan> {
  const { provider, providerGroup, identity, defaultRole, invite } = await decide(reader, login, now, settings);
  const nameOf = async (group: string) => (await groups.find(reader, group))?.name ?? group;
  const group = await nameOf(providerGroup);
  const plan = {
    identity: { uid: identity, stamp: await stampOf(reader, identity) },
    name: provider.name,
    provider: login.person.issuer,
    group,
    invited: invite === undefined ? undefined : { role: invite.role.name, group: await nameOf(invite.group) },
  };
  if (identity === undefined) return { ...plan, roles: [{ role: defaultRole?.name ?? "", group }], moreRoles: false };
  const rows = await reader.all(bindingsOf, { identity, limit: shownRoles + 1 });
  const bindings = await roleBindings.findAll(
    reader,
    rows.slice(0, shownRoles).map(({ uid }) => uid),
    (binding) => binding,
  );
  const shown = (await hydrate(reader, [...bindings.values()])).map(({ role, group: where }) => ({
    role: role?.name ?? "",
    group: where?.name ?? "",
  }));
  return { ...plan, roles: shown, moreRoles: rows.length > shownRoles };
}

interface Completion {
  /** What the person agreed to. */
  readonly planned: PlannedIdentity;
  readonly now: number;
  readonly settings: PlatformSettings;
  readonly call: CallDetails;
  readonly record: RecordEvent;
  readonly charges: AuditCharges;
}

/**
 * Does what the person agreed to: creates the identity at a first login, redeems the invite, and records the login, all in the
 * given transaction.
 * @throws OAuthError (access_denied) if it is refused, or the identity was deleted or lost its tokens since the person was asked
 */
export async function completeLogin(
  writer: Writer,
  login: AuthenticatedLogin,
  { planned, now, settings, call, record, charges }: Completion,
): Promise<LoginGrant> {
  const { person, request } = login;
  const { oidc, providerGroup, identity, defaultRole, invite } = await decide(writer, login, now, settings);
  // An identity that another login of the person has created meanwhile is the one that the page announced.
  const isAnother = planned.uid !== undefined && planned.uid !== identity;
  if (isAnother || planned.stamp !== (await stampOf(writer, identity)))
    throw refused(
      "the identity was changed during the login: start again",
      login.provider,
      "the identity has changed",
      {
        identity: planned.uid,
      },
    );
  const claims = claimsOf(person, oidc.clientId);
  const actor: Actor = { iss: person.issuer, sub: person.subject, aud: oidc.clientId };
  const uid = identity ?? newUidIn(providerGroup);
  const limits = { quota: settings.quota, charges };
  const tx = new AuthoredWriter(writer, { kind: "identity", uid, onBehalfOf: actor }, now, limits, call);
  if (defaultRole !== undefined) {
    await createPerson(tx, uid, claims);
    await bind(tx, uid, defaultRole.uid, providerGroup);
  }
  if (invite !== undefined && !(await grantsWithRole(tx, invite.group, uid, invite.role.uid))) {
    await bind(tx, uid, invite.role.uid, invite.group);
    if (invite.invite.singleUse) await endInvite(tx, invite.invite, { code: request.invite ?? "", identity: uid, now });
  }
  await record(identityEvent("login", { identity: uid, actor }, call));
  await updateLastSeen(writer, uid, now);
  await setPerson(writer, uid, vouchedPerson(person), now);
  const { target, audiences } = request;
  return {
    identity: uid,
    stamp: planned.stamp,
    audiences,
    group: target.kind === "token" ? target.group : undefined,
    actor,
  };
}

/** The value of the stamp of an identity; that of a new one for undefined. */
async function stampOf(reader: Reader, identity: string | undefined): Promise<string> {
  return (identity === undefined ? initialStamp : await securityStampOf(reader, identity)).value;
}

async function decide(
  reader: Reader,
  { request, provider: uid, person }: AuthenticatedLogin,
  now: number,
  settings: PlatformSettings,
): Promise<Decision> {
  const deny = (description: string, mismatch: string) =>
    refused(description, uid, mismatch, { issuer: person.issuer, subject: person.subject });
  const [provider] = await providersFor(reader, { kind: "provider", uid });
  const oidc = provider === undefined ? undefined : oidcOf(provider);
  if (provider === undefined || oidc === undefined || oidc.issuer !== person.issuer)
    throw deny(
      "the identity provider was changed or deleted during the login: start again",
      "the provider has changed",
    );
  const providerGroup = groupOf(provider);
  const identity = await findPerson(reader, providerGroup, claimsOf(person, oidc.clientId));
  const { target } = request;
  if (target.kind === "token" && target.identity !== undefined && target.identity !== identity)
    throw deny("the account at the identity provider does not belong to the requested identity", "another identity");

  const invite = request.invite === undefined ? undefined : await invitation(reader, request.invite);
  const defaultRole = identity === undefined ? await firstRole() : undefined;
  return { provider, oidc, providerGroup, identity, defaultRole, invite };

  async function invitation(tx: Reader, code: string): Promise<Decision["invite"]> {
    const found = await inviteFor(tx, code, { person, providerGroup, now });
    const role = found.kind === "valid" ? await grantableRole(tx, found.invite.roleUid, found.group) : undefined;
    if (found.kind === "valid" && role !== undefined) return { invite: found.invite, group: found.group, role };
    // The identity has what the invite granted, unless somebody has taken it away since then.
    if (identity !== undefined && (await hasRedeemed(tx, { code, identity, now }))) return undefined;
    const reason = found.kind === "refused" ? found.reason : "the owners of the group cannot grant its role any more";
    const error = new InviteError("access_denied", "the invite is not valid for this login: ask for a new one");
    error.explanation = deny("", reason).explanation;
    throw error;
  }

  async function firstRole(): Promise<Role> {
    if (invite === undefined && isPublicIssuer(person.issuer, settings.publicIssuers))
      throw deny(
        "anybody can have an account at this identity provider, so the first login needs an invite: ask an owner of the group for one",
        "a first login without an invite",
      );
    const role = await grantableRole(reader, (provider as IdentityProvider).defaultRole, providerGroup);
    if (role === undefined)
      throw deny(
        "the default role of the identity provider is not one that the owners of its group can grant: ask one of them to set another",
        "the default role cannot be granted",
      );
    return role;
  }
}

/**
 * The role, if the owners of the group can still grant it there: it may have changed since an owner named it. A login has no
 * caller whose permissions could be compared with it.
 */
async function grantableRole(reader: Reader, uid: string, group: string): Promise<Role | undefined> {
  const role = await roles.find(reader, uid);
  if (role === undefined) return undefined;
  if (builtinRole(uid) === undefined && !isWithin(parentOf(uid) ?? "", group)) return undefined;
  return role.capabilities.every((capability) => ownerRole.capabilities.has(capability)) ? role : undefined;
}
