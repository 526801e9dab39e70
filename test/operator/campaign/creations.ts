import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Random } from "#test/platform/fuzz/random.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { secretGrant } from "#test/support/harness/secret-grant.ts";
import { clientSecret, emptySecret } from "#test/support/harness/secret-objects.ts";
import { declare, type Hands, issuer, type Operation } from "./hands.ts";

/** The issuer at which people log in: no identity of the campaign is theirs, for which a deletion would wait. */
export const peopleIssuer = "https://accounts.example.com";
/** Those of the role viewer, which the Tenants permit. */
const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST", "CAP_IAM_GROUPS_LIST"];
export const hourMs = 3_600_000;

/** At least one of the capabilities that the Tenants permit. */
export function someCapabilities(random: Random): readonly string[] {
  const kept = random.pick(capabilities);
  return capabilities.filter((one) => one === kept || random.chance(0.5));
}

/** The operations that declare objects, with their weights. */
export const creations: readonly (readonly [number, readonly [string, Operation]])[] = [
  [10, ["create group", createGroup]],
  [12, ["create identity", createIdentity]],
  [5, ["create role", createRole]],
  [14, ["create role binding", createRoleBinding]],
  [8, ["create tree", createTree]],
  [8, ["create identity provider", createProvider]],
  [12, ["create account association", createAssociation]],
  [20, ["create invite", createInvite]],
];

/** A group for a new object: one of the namespace's own objects, or a group that exists. */
function parentIn({ world, journal, random }: Hands, namespace: string, ref_: string, uid: string): object {
  const groups = journal.of("Group", namespace);
  if (groups.length > 0 && random.chance(0.6)) return { [ref_]: { name: random.pick(groups).name } };
  const home = world.homeOf(namespace);
  // Sometimes of the other team: denied, unless the namespace moves there.
  const group = random.weighted([
    [5, home],
    [3, "shared"],
    [1, home === "red" ? "blue" : "red"],
  ] as const);
  return { [uid]: world.fixed.groups[group] };
}

const groupIn = (hands: Hands, namespace: string) => parentIn(hands, namespace, "groupRef", "groupUid");

/** A role to grant: mostly a built-in one, of which the Tenants do not permit owner. */
function roleIn({ journal, random }: Hands, namespace: string): object {
  const roles = journal.of("Role", namespace);
  if (roles.length > 0 && random.chance(0.3)) return { kind: "Role", name: random.pick(roles).name };
  return { name: builtInRole(random) };
}

export function builtInRole(random: Random): string {
  return random.weighted([
    [6, "viewer"],
    [3, "editor"],
    [1, "owner"],
  ]);
}

/** `expiresAt` of an object that ends after `ms`. */
export function endingIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString().replace(/\.\d+Z$/, "Z");
}

const accounts = {
  amazon: { account: "123456789012" },
  google: { projectId: "acme-shop", projectNumber: "123456789012" },
  azure: { tenantId: "6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f", clientIds: {} },
};

/** At least one of the accounts that the Tenants permit. */
export function someAccounts(random: Random): Partial<typeof accounts> {
  const kept = random.pick(Object.keys(accounts));
  return Object.fromEntries(Object.entries(accounts).filter(([name]) => name === kept || random.chance(0.3)));
}

async function createGroup(hands: Hands): Promise<void> {
  const namespace = hands.random.pick(hands.world.namespaces);
  const name = hands.journal.newName("g");
  const undeclared = hands.random.weighted([
    [4, "Report"],
    [2, "Remove"],
    [1, "Ignore"],
  ]);
  const parent = parentIn(hands, namespace, "parentRef", "parentUid");
  await declare(hands, musterObject("Group", namespace, name, { ...parent, undeclared }));
}

async function createIdentity(hands: Hands): Promise<void> {
  const namespace = hands.random.pick(hands.world.namespaces);
  const name = hands.journal.newName("i");
  const source = hands.random.chance(0.3) ? { serviceAccountRef: { name } } : { claimMatch: { issuer, subject: name } };
  await declare(hands, musterObject("Identity", namespace, name, { ...groupIn(hands, namespace), ...source }));
}

async function createRole(hands: Hands): Promise<void> {
  const { random } = hands;
  const namespace = random.pick(hands.world.namespaces);
  const spec = { ...groupIn(hands, namespace), capabilities: someCapabilities(random) };
  await declare(hands, musterObject("Role", namespace, hands.journal.newName("r"), spec));
}

async function createRoleBinding(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const namespace = random.pick(world.namespaces);
  const identities = journal.of("Identity", namespace);
  const identity =
    identities.length > 0 && random.chance(0.9)
      ? { identityRef: { name: random.pick(identities).name } }
      : { identityUid: world.fixed.auditor };
  const spec = { ...groupIn(hands, namespace), ...identity, roleRef: roleIn(hands, namespace) };
  await declare(hands, musterObject("RoleBinding", namespace, journal.newName("b"), spec));
}

async function createTree(hands: Hands): Promise<void> {
  const { journal, random } = hands;
  const namespace = random.pick(hands.world.namespaces);
  const [group, identity, binding] = [journal.newName("g"), journal.newName("i"), journal.newName("b")];
  const groupRef = { name: group };
  const objects = [
    musterObject("Group", namespace, group, parentIn(hands, namespace, "parentRef", "parentUid")),
    musterObject("Identity", namespace, identity, { groupRef, claimMatch: { issuer, subject: identity } }),
    musterObject("RoleBinding", namespace, binding, {
      groupRef,
      identityRef: { name: identity },
      roleRef: { name: "viewer" },
    }),
  ];
  for (const object of random.chance(0.5) ? objects : objects.toReversed()) await declare(hands, object);
}

async function createProvider(hands: Hands): Promise<void> {
  const { random, journal } = hands;
  const namespace = random.pick(hands.world.namespaces);
  const name = journal.newName("p");
  const isConfidential = random.chance(0.7);
  const spec = {
    ...groupIn(hands, namespace),
    ...(isConfidential ? { clientSecretRef: { name } } : {}),
    issuer: peopleIssuer,
    clientId: name,
    defaultRoleRef: { name: builtInRole(random) },
  };
  if (isConfidential) await plantClientSecret(hands, { namespace, name });
  await declare(hands, musterObject("IdentityProvider", namespace, name, spec));
}

/** Creates a Secret with a client secret that no output may contain. */
export async function plantClientSecret(
  hands: Hands,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<void> {
  const value = `planted-client-secret-${namespace}-${name}`;
  hands.world.system.secrets.push(value);
  await permit(hands, clientSecret(namespace, name, peopleIssuer, value), ["get"]);
}

/**
 * Creates a Secret, and the permission to use it. Without both, nothing is said of the object that names it: what the API
 * server refused is asked again after up to five minutes.
 */
export async function permit({ world, journal }: Hands, secret: KubeObject, verbs: readonly string[]): Promise<void> {
  const { namespace = "", name } = secret.metadata;
  for (const object of secretGrant({ namespace, name }, verbs)) await world.kube.apply(object);
  await world.kube.apply(secret);
  journal.permit({ namespace, name });
}

async function createAssociation(hands: Hands): Promise<void> {
  const { random, journal } = hands;
  const namespace = random.pick(hands.world.namespaces);
  // A group has at most one. With the few groups that exist from the beginning, most would conflict.
  const groups = journal.of("Group", namespace);
  const group = groups.length > 0 ? { groupRef: { name: random.pick(groups).name } } : groupIn(hands, namespace);
  const spec = { ...group, ...someAccounts(random) };
  await declare(hands, musterObject("AccountAssociation", namespace, journal.newName("a"), spec));
}

async function createInvite(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const namespace = random.pick(world.namespaces);
  const name = journal.newName("v");
  const expiresAt = endingIn(
    random.weighted([
      [8, hourMs],
      [1, 8_000],
    ]),
  );
  const spec = {
    ...groupIn(hands, namespace),
    roleRef: roleIn(hands, namespace),
    // Nothing else shows for which object an invite was created.
    email: `${name}@example.com`,
    singleUse: random.chance(0.5),
    expiresAt,
    secretRef: { name },
  };
  const permitted = permit(hands, emptySecret(namespace, name), ["get", "patch"]);
  if (random.chance(0.7)) await permitted;
  await Promise.all([permitted, declare(hands, musterObject("GroupInvite", namespace, name, spec))]);
}
