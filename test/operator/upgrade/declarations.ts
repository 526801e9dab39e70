import { pausedAnnotation } from "#src/api/annotations.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { type AnyMusterKind, musterObject } from "#test/support/harness/muster-objects.ts";
import type { PlatformCollection } from "#test/support/harness/platform-admin.ts";
import { secretGrant } from "#test/support/harness/secret-grant.ts";
import { clientSecret, emptySecret } from "#test/support/harness/secret-objects.ts";

/** A resource that another client creates on the platform before an object is declared. */
export interface ByHand {
  readonly collection: PlatformCollection;
  readonly body: object;
  /** The object takes it over, so that it may change once. */
  readonly isAdopted: boolean;
}

/** An object, and what becomes of it. */
export interface Declared {
  readonly object: KubeObject;
  /** The reason of its condition Ready: `Available` if it is Ready. */
  readonly expected: string;
  /** Whether it has a resource on the platform. */
  readonly hasResource: boolean;
  /** Secrets, and the permissions to use them. */
  readonly needs: readonly KubeObject[];
  /** The resource that it needs in the group of the team, from its uid on. */
  readonly byHand?: ByHand;
  /** What that resource is, if it is to be adopted: `groups UID`. */
  readonly adopts?: string;
}

/** The fixed groups and identities of the platform that a set of objects names. */
export interface Place {
  readonly namespace: string;
  /** The uid of the team's group. */
  readonly group: string;
  /** Begins the names of the set. */
  readonly prefix: string;
  /** Sets with different numbers vary in what they contain. */
  readonly number: number;
}

export const setSize = 16;
export const available = "Available";
export const issuer = "https://issuer.example";
const peopleIssuer = "https://accounts.example.com";
const farAway = "2099-01-01T00:00:00Z";
const past = "2020-01-01T00:00:00Z";
const paused = { [pausedAnnotation]: "true" };

/**
 * A set of objects of all kinds: a group with members and everything else that can be in it, and objects that are adopted,
 * observed, paused, denied or in conflict. An object comes after those that it refers to.
 */
export function declareSet(place: Place): readonly Declared[] {
  return [...inGroup(place), ...unusual(place)];
}

function inGroup({ namespace, group, prefix, number }: Place): readonly Declared[] {
  const name = (kind: string) => `${prefix}-${kind}`;
  const groupRef = { name: name("group") };
  const object = (kind: AnyMusterKind, suffix: string, spec: object, needs: readonly KubeObject[] = []): Declared => ({
    object: musterObject(kind, namespace, name(suffix), spec),
    expected: available,
    hasResource: true,
    needs,
  });
  const binding = (suffix: string, identity: string, spec: object) =>
    object("RoleBinding", suffix, { groupRef, identityRef: { name: name(identity) }, ...spec });
  const secrets = { provider: { namespace, name: name("provider") }, invite: { namespace, name: name("invite") } };
  return [
    object("Group", "group", {
      parentUid: group,
      description: `The group of ${prefix}`,
      ...(number % 6 === 1 ? { undeclared: "Remove" } : {}),
      ...(number % 3 === 0 ? { policy: { drift: "Report" } } : {}),
    }),
    object("Identity", "claims", { groupRef, claimMatch: { issuer, subject: name("claims") } }),
    object("Identity", "account", { groupRef, serviceAccountRef: { name: name("account") } }),
    object("Role", "role", { groupRef, capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] }),
    binding("grants", "claims", { roleRef: { name: "viewer" } }),
    binding("scans", "account", { roleRef: { kind: "Role", name: name("role") }, expiresAt: farAway }),
    { ...binding("edits", "account", { roleRef: { name: "editor" } }), ...(number % 2 === 0 ? {} : startsPaused) },
    unreadyBinding(number, binding, groupRef),
    object(
      "IdentityProvider",
      "provider",
      {
        groupRef,
        issuer: peopleIssuer,
        clientId: prefix,
        clientSecretRef: { name: secrets.provider.name },
        defaultRoleRef: { name: "viewer" },
      },
      [
        clientSecret(namespace, secrets.provider.name, peopleIssuer, `planted-client-secret-${prefix}`),
        ...secretGrant(secrets.provider, ["get"]),
      ],
    ),
    object("AccountAssociation", "accounts", { groupRef, amazon: { account: "123456789012" } }),
    object(
      "GroupInvite",
      "invite",
      {
        groupRef,
        roleRef: { name: "viewer" },
        email: `${prefix}@example.com`,
        singleUse: true,
        expiresAt: inADay(),
        secretRef: { name: secrets.invite.name },
      },
      [emptySecret(namespace, secrets.invite.name), ...secretGrant(secrets.invite, ["get", "patch"])],
    ),
  ];
}

/** Merged into an object that is paused before the operator sees it. */
const startsPaused = { expected: "Paused", hasResource: false } as const;

/** A binding that is denied, equal to another one, expired, or without an identity. */
function unreadyBinding(
  number: number,
  binding: (suffix: string, identity: string, spec: object) => Declared,
  groupRef: object,
): Declared {
  const none = { hasResource: false };
  switch (number % 4) {
    case 0:
      return { ...binding("other", "claims", { roleRef: { name: "owner" } }), ...none, expected: "TenantDenied" };
    case 1:
      return { ...binding("other", "claims", { roleRef: { name: "viewer" } }), ...none, expected: "Conflict" };
    case 2: {
      const expired = { groupRef, roleRef: { name: "editor" }, expiresAt: past };
      return { ...binding("other", "claims", expired), ...none, expected: "Expired" };
    }
    default:
      return { ...binding("other", "nobody", { roleRef: { name: "viewer" } }), ...none, expected: "ReferenceNotFound" };
  }
}

function unusual(place: Place): readonly Declared[] {
  const { namespace, group, prefix, number } = place;
  const object = (kind: AnyMusterKind, suffix: string, spec: object): Omit<Declared, "expected" | "hasResource"> => ({
    object: musterObject(kind, namespace, `${prefix}-${suffix}`, spec),
    needs: [],
  });
  const ready = { expected: available, hasResource: true };
  const claimMatch = (suffix: string) => ({ issuer, subject: `${prefix}-${suffix}` });
  const identityByHand = (suffix: string, isAdopted: boolean): ByHand => ({
    collection: "identities",
    body: { name: `${prefix}-${suffix}`, claimMatch: claimMatch(suffix) },
    isAdopted,
  });
  const groupByHand = (suffix: string, isAdopted: boolean): ByHand => ({
    collection: "groups",
    body: { name: `${prefix}-${suffix}` },
    isAdopted,
  });
  const adopt = { groupUid: group, claimMatch: claimMatch("adopted"), policy: { adoption: "IfExists" } };
  const observe = { policy: { management: "Observe" } };
  return [
    { ...object("Identity", "adopted", adopt), ...ready, byHand: identityByHand("adopted", true) },
    // The uid of the group is set once it exists.
    { ...object("Group", "by-uid", { parentUid: group }), ...ready, byHand: groupByHand("by-uid", true) },
    number % 2 === 0
      ? {
          ...object("Identity", "observed", { groupUid: group, claimMatch: claimMatch("observed"), ...observe }),
          ...ready,
          byHand: identityByHand("observed", false),
        }
      : {
          ...object("Group", "observed", { parentUid: group, ...observe }),
          ...ready,
          byHand: groupByHand("observed", false),
        },
    {
      ...object("Group", "taken", { parentUid: group }),
      expected: "Conflict",
      hasResource: false,
      byHand: groupByHand("taken", false),
    },
    number % 2 === 0
      ? {
          ...object("Identity", "orphaned", {
            groupUid: group,
            claimMatch: claimMatch("orphaned"),
            policy: { deletion: "Orphan" },
          }),
          ...ready,
        }
      : {
          ...object("RoleBinding", "denied", {
            groupUid: group,
            identityRef: { name: `${prefix}-adopted` },
            roleRef: { name: "owner" },
          }),
          expected: "TenantDenied",
          hasResource: false,
        },
  ];
}

/** The manifest as it is applied: paused from the beginning, if that is expected. */
export function manifestOf({ object, expected }: Declared): KubeObject {
  if (expected !== "Paused") return object;
  return { ...object, metadata: { ...object.metadata, annotations: paused } };
}

function inADay(): string {
  return new Date(Date.now() + 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
}
