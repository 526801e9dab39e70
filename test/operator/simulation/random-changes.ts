import { seeded } from "#test/support/seeded.ts";
import { issuerAnnotation } from "#src/api/annotations.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, owner, viewer } from "./memory-platform.ts";
import { type Change, PlannedWorld } from "./planned-world.ts";
import { RandomVariation } from "./random-variations.ts";
import { awsAccount, blue, issuer, red, shared } from "./two-tenants.ts";

/** The namespaces with the group of their Tenant: the Tenant of the second has credentials of its own. */
const namespaces = [
  ["team", red],
  ["other", blue],
] as const;
/** Before and after the time of every world. */
const [past, future] = ["2025-06-01T00:00:00Z", "2027-06-01T00:00:00Z"];
const groups = ["org", "shop", "pay"] as const;
const people = ["ci", "deploy"] as const;
const providers = ["staff"] as const;
const associations = ["cloud", "spare"] as const;
const grants = ["views", "audits", "owns", "scans"] as const;
const roles = ["scanner", "lister"] as const;
const invites = ["ada", "bob"] as const;
/** Those that the Tenant permits, and one that it does not. */
const capabilities = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_ROLES_LIST", "CAP_IAM_IDENTITY_LIST"] as const;
const denied = "CAP_REPO_DELETE";

/**
 * A random world that is at rest but for what others changed on the platform, and a random change.
 * @param admission whether an admission policy adds our finalizer, while no operator leads
 */
export async function randomChange(
  seed: number,
  admission = false,
): Promise<{ readonly world: PlannedWorld; readonly change: Change }> {
  const random = seeded(seed);
  const world = new PlannedWorld({ admission });
  const before = everywhere(random);
  handMade(world, random);
  world.scenario.kube.setSecret("login", { clientSecret: "planted" }, { [issuerAnnotation]: issuer });
  // A plan reads no Secret, and assumes that there is an empty one.
  for (const [, group] of namespaces)
    for (const name of invites) world.scenario.kube.setSecret(secretOf(name, group), {});
  const variation = new RandomVariation(seeded(seed + 1_000_000));
  await world.act({ apply: before.map((one) => variation.vary(one)) });
  disturb(world, random);
  variation.disturb(world, before);
  const kept = before.filter(() => random() < 0.7);
  const removed = before.filter((one) => !kept.includes(one) && random() < 0.7);
  const edited = everywhere(random)
    .filter(() => random() < 0.7)
    .map((one) => withReferencesOf(before, one));
  const leaving = new Set(removed.map(nameOf));
  const apply = edited.filter((one) => !leaving.has(nameOf(one))).map((one) => variation.vary(one));
  return { world, change: { apply, remove: removed, ...variation.cluster() } };
}

function everywhere(random: () => number): readonly Manifest[] {
  return namespaces.flatMap(([namespace, group]) =>
    manifests(random, group).map((one) => (namespace === "team" ? one : { ...one, namespace })),
  );
}

/** @param own the group of the Tenant, which also has the one that it shares with the other Tenant */
function manifests(random: () => number, own: string): readonly Manifest[] {
  const one = <T>(...choices: readonly T[]) => choices[Math.floor(random() * choices.length)] as T;
  const policy = (adoption: boolean) => ({
    ...(adoption ? { adoption: one("Never", "Never", "IfExists") } : {}),
    ...one({}, { deletion: "Delete" }, { deletion: "Orphan" }, { deletion: "Protect" }),
    drift: one("Correct", "Correct", "Report"),
  });
  const parent = (below: readonly string[]) =>
    below.length > 0 && random() < 0.7
      ? { groupRef: { name: one(...below), ...elsewhere() } }
      : { groupUid: one(own, shared) };
  const elsewhere = () => (random() < 0.1 ? { namespace: one("team", "other") } : {});
  const objects: Manifest[] = [];
  for (const [index, name] of groups.entries()) {
    if (random() < 0.2) continue;
    const { groupRef, groupUid } = parent(groups.slice(0, index));
    const spec = {
      ...(groupRef === undefined ? { parentUid: groupUid } : { parentRef: groupRef }),
      description: one("first", "second"),
      ...one({}, { undeclared: "Remove" }, { undeclared: "Report" }),
      policy: policy(true),
    };
    objects.push({ kind: "Group", name, spec });
  }
  for (const name of people) {
    if (random() < 0.2) continue;
    const claimMatch = { issuer: one(issuer, issuer, "https://denied.example"), subject: one("ci", "cd") };
    const who = random() < 0.2 ? { serviceAccountRef: { name: "builds" } } : { claimMatch };
    objects.push({ kind: "Identity", name, spec: { ...parent(groups), ...who, policy: policy(true) } });
  }
  for (const name of roles) {
    if (random() < 0.2) continue;
    const listed = [...capabilities.filter(() => random() < 0.6), ...one([], [], [], [denied])];
    const spec = {
      ...parent(groups),
      capabilities: listed.length > 0 ? listed : [capabilities[0]],
      policy: policy(true),
    };
    objects.push({ kind: "Role", name, spec });
  }
  for (const name of providers) {
    if (random() < 0.3) continue;
    const spec = {
      ...parent(groups),
      issuer: one(issuer, issuer, "https://denied.example"),
      clientId: "muster",
      defaultRoleRef: { name: one("viewer", "viewer", "viewer", "owner") },
      // A plan reads no Secret, and assumes that there is one.
      ...one({}, { clientSecretRef: { name: "login" } }),
      ...one({}, { additionalScopes: ["email"] }),
      policy: policy(true),
    };
    objects.push({ kind: "IdentityProvider", name, spec });
  }
  for (const name of associations) {
    if (random() < 0.3) continue;
    const spec = {
      ...parent(groups),
      amazon: { account: one(awsAccount, awsAccount, awsAccount, "210987654321") },
      ...one({}, { description: "accounts" }),
      policy: policy(true),
    };
    objects.push({ kind: "AccountAssociation", name, spec });
  }
  for (const name of grants) {
    if (random() < 0.2) continue;
    const who =
      name === "audits" ? { identityUid: auditor } : { identityRef: { name: one(...people), ...elsewhere() } };
    const roleRef =
      name === "scans"
        ? { kind: "Role", name: one(...roles) }
        : { name: name === "owns" ? one("owner", "viewer") : "viewer" };
    const expiry = one<object>({}, {}, {}, { expiresAt: past }, { expiresAt: future });
    const spec = { ...parent(groups), ...who, roleRef, ...expiry, policy: policy(false) };
    objects.push({ kind: "RoleBinding", name, spec });
  }
  for (const name of invites) {
    if (random() < 0.3) continue;
    const roleRef = name === "ada" ? { kind: "Role", name: one(...roles) } : { name: one("viewer", "viewer", "owner") };
    const spec = {
      ...parent(groups),
      roleRef,
      singleUse: name === "ada",
      expiresAt: future,
      secretRef: { name: secretOf(name, own) },
      policy: one({}, { deletion: "Delete" }, { deletion: "Orphan" }, { deletion: "Protect" }),
    };
    objects.push({ kind: "GroupInvite", name, spec });
  }
  return objects;
}

/** The Secrets of a scenario have no namespaces. */
function secretOf(invite: string, group: string): string {
  return `${invite}-${group.slice(-2)}`;
}

function nameOf({ kind, name, namespace = "team" }: Manifest): string {
  return `${kind} ${namespace}/${name}`;
}

/** References are immutable: an edit keeps them. */
function withReferencesOf(before: readonly Manifest[], edited: Manifest): Manifest {
  const one = before.find((other) => nameOf(other) === nameOf(edited));
  if (one === undefined) return edited;
  const references = [
    "parentRef",
    "parentUid",
    "groupRef",
    "groupUid",
    "identityRef",
    "identityUid",
    "roleRef",
    "issuer",
  ];
  const isReference = ([field]: readonly [string, unknown]) => references.includes(field);
  return {
    ...edited,
    spec: Object.fromEntries([
      ...Object.entries(edited.spec).filter((entry) => !isReference(entry)),
      ...Object.entries(one.spec).filter(isReference),
    ]),
  };
}

/** What people made before the operator came. */
function handMade({ scenario: { platform } }: PlannedWorld, random: () => number): void {
  const resource = <F extends ExternalResource>(fields: F) => ({ description: "", ...fields });
  if (random() < 0.3) platform.set("groups", resource({ uid: `${red}/eeeeeeeeeeeeee01`, name: "org" }));
  if (random() < 0.3) platform.set("groups", resource({ uid: `${shared}/eeeeeeeeeeeeee02`, name: "shop" }));
  if (random() < 0.3)
    platform.set(
      "roles",
      resource({ uid: `${red}/eeeeeeeeeeeeee05`, name: "scanner", capabilities: [...capabilities] }),
    );
  if (random() < 0.3)
    platform.set(
      "identityProviders",
      resource({
        uid: `${red}/eeeeeeeeeeeeee06`,
        name: "staff",
        updateTime: "2025-01-01T00:00:00Z",
        defaultRole: viewer,
        oidc: { issuer, clientId: "another", additionalScopes: [], groupsClaim: "", pkceEnabled: true },
      }),
    );
  if (random() < 0.3)
    platform.set(
      "accountAssociations",
      resource({ uid: red, name: "by hand", createTime: "2025-01-01T00:00:00.000Z", amazon: { account: awsAccount } }),
    );
  if (random() < 0.3)
    platform.set("roleBindings", {
      uid: `${red}/eeeeeeeeeeeeee03`,
      identity: { uid: auditor, name: "" },
      role: { uid: viewer, name: "" },
    });
}

/** What people changed on the platform since. */
function disturb({ scenario: { platform } }: PlannedWorld, random: () => number): void {
  for (const collection of [
    "groups",
    "identities",
    "roles",
    "identityProviders",
    "accountAssociations",
    "roleBindings",
    "groupInvites",
  ])
    for (const resource of platform.createdIn(collection)) {
      const what = random();
      if (what < 0.15 && collection !== "roleBindings" && collection !== "groupInvites")
        platform.set(collection, { ...resource, description: `changed ${resource.description ?? ""}` });
      else if (what < 0.3 && collection === "roles")
        platform.set(collection, {
          ...resource,
          capabilities: [capabilities[2], random() < 0.5 ? denied : capabilities[0]],
        });
      else if (what < 0.3 && collection === "identityProviders")
        platform.set(collection, { ...resource, defaultRole: owner });
      else if (what < 0.2 && collection === "accountAssociations")
        platform.set(collection, { ...resource, google: { projectId: "p", projectNumber: "1" } });
      else if (what < 0.3 && collection === "accountAssociations")
        // Somebody deleted it and created another one.
        platform.set(collection, { ...resource, description: "", createTime: "2026-09-09T00:00:00.000Z" });
      else if (what < 0.4 && collection === "accountAssociations") platform.remove(collection, resource.uid);
      else if (what < 0.4 && collection === "identityProviders")
        platform.set("identities", {
          uid: `${parentOf(resource.uid)}/eeeeeeeeeeeeee07`,
          name: "ana",
          description: "",
          claimMatch: { issuer, subject: "ana", audience: "muster" },
        });
      else if (what < 0.3 && collection !== "groups") {
        platform.remove(collection, resource.uid);
        // The platform deletes the role bindings of an identity together with it.
        for (const binding of platform.createdIn("roleBindings") as readonly ExternalRoleBinding[])
          if (binding.identity.uid === resource.uid) platform.remove("roleBindings", binding.uid);
      } else if (what < 0.4 && collection === "groups")
        platform.set("roleBindings", {
          uid: `${resource.uid}/eeeeeeeeeeeeee04`,
          identity: { uid: auditor, name: "" },
          role: { uid: random() < 0.5 ? viewer : owner, name: "" },
        });
    }
}
