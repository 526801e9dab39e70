import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { Cluster } from "./cluster.ts";
import type { PlatformAdmin } from "./platform-admin.ts";
import type { ServiceAccountName } from "./prepare-cluster.ts";

/**
 * Creates the platform identity of the operator, which its service account assumes, and makes it an owner of the root
 * group.
 * @returns the uid of the identity
 */
export async function createOperatorIdentity(
  platform: PlatformAdmin,
  root: string,
  cluster: Cluster,
  account: ServiceAccountName,
  { audience, owner }: { readonly audience: string; readonly owner: string },
): Promise<string> {
  return createOwner(platform, root, {
    name: "operator",
    description: withRecordedOwner("", owner),
    ...assumedBy(cluster, account, audience),
  });
}

/** Creates the platform identity of a Tenant with credentials of its own, and makes it an owner of `group`. @returns its uid */
export async function createTenantIdentity(
  platform: PlatformAdmin,
  group: string,
  cluster: Cluster,
  account: ServiceAccountName,
  audience: string,
): Promise<string> {
  return createOwner(platform, group, { name: account.name, ...assumedBy(cluster, account, audience) });
}

async function createOwner(platform: PlatformAdmin, group: string, identity: object): Promise<string> {
  const { uid } = await platform.create("identities", group, identity);
  const owner = (await platform.list("roles")).find((role) => role.name === "owner");
  await platform.create("roleBindings", group, { identityUid: uid, roleUid: owner?.uid });
  return uid;
}

/** The owner id that operators use by default. */
export async function ownerIdOf({ admin }: Cluster): Promise<string> {
  const namespace = await admin.get({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } });
  return namespace.metadata.uid ?? "";
}

/** The platform discovers the keys of the cluster's tokens, unless the cluster states them. */
function assumedBy({ issuer, url }: Cluster, { namespace, name }: ServiceAccountName, audience: string): object {
  const subject = `system:serviceaccount:${namespace}:${name}`;
  if (issuer === undefined) return { claimMatch: { issuer: url, subject } };
  return { staticKeys: { issuer: issuer.url, subject, issuerKeys: issuer.jwks, audiences: [audience] } };
}
