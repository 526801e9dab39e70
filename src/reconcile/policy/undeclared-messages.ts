import { confirmAnnotation } from "#src/api/annotations.ts";
import type { Undeclared } from "#src/api/status.ts";
import type { SparingReason } from "#src/reconcile/observe/observed.ts";

// What people read about resources that nobody declared. Names and uids come from the status, which discloses nothing about
// identities outside of the Tenant's groups but their uids.

const nouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  RoleBinding: ["role binding", "role bindings"],
  Identity: ["identity", "identities"],
  IdentityProvider: ["identity provider", "identity providers"],
  Group: ["child group", "child groups"],
  Role: ["role", "roles"],
  AccountAssociation: ["account association", "account associations"],
  GroupInvite: ["group invite", "group invites"],
};

/** How many resources an event describes. */
const described = 3;

const spareTexts: Readonly<Record<SparingReason, string>> = {
  tenantReports: "the Tenant's spec.undeclared is Report",
  groupNotManaged: "the group is only observed",
  notSynced: "not everything has been read yet; the next resync decides",
  providersUnknown:
    "the operator may not list the identity providers of the group and all groups above, so people cannot be recognized",
  providerAbsent:
    "an identity provider that an object declares in the group, or above it, is not on the platform, or has another issuer there, so its people cannot be recognized",
  otherOwnerPresent: "identities of another Muster installation are in the group, which may have created them",
  onlyReported: "only role bindings and identities are removed",
  outOfBounds: "outside of the Tenant's groups, or never written by Muster",
  identityUnknown: "the operator cannot read the identity",
  credential: "of an identity that the operator or a Tenant uses",
  breakGlass: "of an identity that an administrator protects",
  otherOwner: "of an identity that another Muster installation owns",
  orphan: "of an identity with our marker whose object does not exist",
  person: "of people, whose issuer is that of an identity provider",
  bound: "identities that still have role bindings",
  named: "named by an object of this cluster",
  cameBack: "removed three times within an hour, and created again by another writer; find it and stop it",
  held: "too many at once",
  attempted: "the last attempt failed, and is repeated after the next resync",
  seenOnce: "removed once the next resync shows them again",
};

export function everythingDeclared(): string {
  return "Objects of this cluster declare everything that lies directly in the group.";
}

export function undeclared(
  counts: Readonly<Record<string, number>>,
  spared: readonly (readonly [SparingReason, number])[],
  confirmId: string | null,
): string {
  const parts = Object.entries(counts).map(([kind, count]) => `${count} ${nounOf(kind, count)}`);
  const what = `Not declared by any object of this cluster: ${parts.join(", ")}; status.undeclared lists the first ten.`;
  if (spared.length === 0) return `${what} Declare them, or remove them on the platform.`;
  const why = spared.map(([reason, count]) => `${count} (${spareTexts[reason]})`).join("; ");
  const confirm =
    confirmId === null
      ? ""
      : ` To have them removed nevertheless, ask an administrator to set the annotation ${confirmAnnotation} of the Tenant to ${confirmId}.`;
  return `${what} Not removed: ${why}.${confirm}`;
}

/** What was found, for an event. */
export function undeclaredFound(found: readonly Undeclared[]): string {
  const more = found.length - described;
  const texts = found.slice(0, described).map(describe).join("; ");
  return `No object of this cluster declares ${texts}${more > 0 ? `; and ${more} more` : ""}.`;
}

export function removed(resource: Undeclared): string {
  return `Removed ${describe(resource)}, which no object of this cluster declares.`;
}

function describe({ kind, uid, name, identityUid, role }: Undeclared): string {
  const what = `${nounOf(kind, 1)} ${name === undefined ? uid : `"${name}" (${uid})`}`;
  if (role === undefined) return what;
  return `${what}, which grants the role ${role} to ${identityUid === undefined ? "whoever has its code" : `identity ${identityUid}`}`;
}

function nounOf(kind: string, count: number): string {
  return nouns[kind]?.[count === 1 ? 0 : 1] ?? kind;
}
