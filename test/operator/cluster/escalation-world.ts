import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterKinds, musterObject } from "#test/support/harness/muster-objects.ts";
import type { System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { tenantObject } from "#test/support/harness/tenants.ts";
import { inFewTurns } from "#test/support/turn/in-turn.ts";

// Two Tenants: that of the victim, and that of the attacker, who may write any object in two namespaces.

export const victim = "vault";
export const attacker = "attic";
export const accomplice = "attic-ci";
/** A namespace without a Tenant. */
export const stranger = "nowhere";
export const attackerTenant = "attic-tenant";
export const issuer = "https://issuer.example";
export const github = "https://token.actions.githubusercontent.com";
/** Only the victim may read it. */
export const foreignDescription = "gold-reserve";

/** Who may assume an identity of the attempts. */
export const claim = (subject: string) => ({ claimMatch: { issuer, subject } });
/** In an hour. */
export const later = () => new Date(Date.now() + 3_600_000).toISOString();

/** The uids that the attempts name. */
export interface World {
  readonly root: string;
  readonly operator: string;
  /** The cluster's issuer of service-account tokens. */
  readonly cluster: string;
  /** The groups of the Tenants. */
  readonly own: string;
  readonly foreign: string;
  /** What the other Tenant's objects manage. */
  readonly vault: string;
  readonly vaultIdentity: string;
  readonly vaultBinding: string;
  readonly ownerRole: string;
  readonly editorRole: string;
  readonly viewerRole: string;
  /** A role in the attacker's group with the name of a built-in one. */
  readonly fakeViewer: string;
  /** An identity in the attacker's group that no object declares, and its role binding there as a viewer. */
  readonly robot: string;
  readonly robotBinding: string;
  /** A group there that no object declares. */
  readonly unmanaged: string;
  /** A group of the other Tenant, which it shares with the accomplice only. */
  readonly shared: string;
  /** An identity for emergencies there, and its role binding as a viewer. */
  readonly emergency: string;
  readonly emergencyBinding: string;
  /** The credential of the attacker's Tenant; undefined if it uses that of the operator. */
  readonly credential: string | undefined;
}

/** With whose credentials the attacker's Tenant works. */
const credentialTypes = ["Operator", "ServiceAccount"] as const;
export type CredentialType = (typeof credentialTypes)[number];
/** A run makes every attempt with the credentials that have their turn. */
export const credentialsInTurn = inFewTurns(2, credentialTypes);

/** What the attacker's Tenant permits. */
export function attackerSpec({
  own,
  emergency,
  credential,
}: Pick<World, "own" | "emergency" | "credential">): Readonly<Record<string, unknown>> {
  return {
    namespaces: [attacker, accomplice],
    groups: [own],
    roles: ["viewer"],
    kinds: musterKinds,
    identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys"],
    claimIssuers: [{ issuer, subjectPrefixes: ["attic:"] }, { issuer: github }],
    awsAccounts: ["123456789012"],
    breakGlass: [emergency],
    undeclared: "Remove",
    ...(credential === undefined ? {} : { credentials: { type: "ServiceAccount", identityUid: credential } }),
  };
}

/** The uids and names of the other Tenant that an object shows although its spec does not name them. */
export function disclosures(object: KubeObject | undefined, world: World): string[] {
  const said = JSON.stringify([object?.["spec"]]);
  const shown = JSON.stringify([object?.["status"]]);
  const secrets = [
    "treasury",
    foreignDescription,
    world.foreign,
    world.vault,
    world.vaultIdentity,
    world.vaultBinding,
    world.operator,
  ];
  return secrets.filter((secret) => shown.includes(secret) && !said.includes(secret));
}

/** Everything on the platform, with the times of the last writes. */
export async function everything({ admin }: System): Promise<unknown> {
  const collections = (["groups", "identities", "roleBindings", "roles"] as const).map((collection) =>
    admin.list(collection),
  );
  const resources = (await Promise.all(collections)).flat();
  return resources
    .map(({ lastSeen: _lastSeen, ...resource }) => resource)
    .toSorted((a, b) => (a["uid"] < b["uid"] ? -1 : 1));
}

/** Two Tenants, and what the other one has. */
export async function build(system: System, credentials: CredentialType): Promise<World> {
  const { admin, root, identity: operator } = system;
  const kube = system.controlPlane.admin;
  const [own, foreign] = await Promise.all([
    admin.create("groups", root, { name: "attic" }),
    admin.create("groups", root, { name: "treasury" }),
  ]);
  const robot = await admin.create("identities", own.uid, { name: "robot", claimMatch: { issuer, subject: "robot" } });
  const unmanaged = await admin.create("groups", own.uid, { name: "unmanaged" });
  const fakeViewer = await admin.create("roles", own.uid, { name: "viewer", capabilities: ["CAP_IAM_GROUPS_LIST"] });
  const roles = await admin.list("roles");
  const roleUid = (name: string) => roles.find((role) => role.name === name && !role.uid.includes("/"))?.uid ?? "";
  const inOwn = async (identityUid: string) =>
    (await admin.create("roleBindings", own.uid, { identityUid, roleUid: roleUid("viewer") })).uid;
  const emergency = await admin.create("identities", own.uid, {
    name: "emergency",
    claimMatch: { issuer, subject: "emergency" },
  });
  const [robotBinding, emergencyBinding] = [await inOwn(robot.uid), await inOwn(emergency.uid)];
  const credential =
    credentials === "Operator" ? undefined : await createTenantCredentials(system, attackerTenant, own.uid);
  const tenants = [
    tenantObject("treasury-tenant", {
      namespaces: [victim],
      groups: [foreign.uid],
      roles: ["viewer", "editor"],
      identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"],
      claimIssuers: [{ issuer }],
      kinds: musterKinds,
      adopt: musterKinds,
      allowOrphan: true,
    }),
    tenantObject(attackerTenant, attackerSpec({ own: own.uid, emergency: emergency.uid, credential })),
  ];
  for (const tenant of tenants) await kube.apply(tenant);
  const objects = [
    musterObject("Group", victim, "vault", { parentUid: foreign.uid, description: foreignDescription }),
    musterObject("Group", victim, "shared", { parentUid: foreign.uid, allowedNamespaces: [accomplice] }),
    musterObject("Identity", victim, "vault", {
      groupRef: { name: "vault" },
      claimMatch: { issuer, subject: "vault:ci" },
    }),
    musterObject("RoleBinding", victim, "vault", {
      groupRef: { name: "vault" },
      identityRef: { name: "vault" },
      roleRef: { name: "viewer" },
    }),
  ];
  await kube.apply(
    musterObject("Group", stranger, "planted", { parentUid: foreign.uid, allowedNamespaces: [attacker] }),
  );
  for (const object of objects) await kube.apply(object);
  const uids: string[] = [];
  for (const object of objects) uids.push((await system.ready(object))["status"].uid);
  const [vault = "", shared = "", vaultIdentity = "", vaultBinding = ""] = uids;
  return {
    root,
    operator,
    cluster: system.controlPlane.url,
    own: own.uid,
    shared,
    foreign: foreign.uid,
    vault,
    vaultIdentity,
    vaultBinding,
    ownerRole: roleUid("owner"),
    editorRole: roleUid("editor"),
    viewerRole: roleUid("viewer"),
    fakeViewer: fakeViewer.uid,
    robot: robot.uid,
    robotBinding,
    unmanaged: unmanaged.uid,
    emergency: emergency.uid,
    emergencyBinding,
    credential,
  };
}
