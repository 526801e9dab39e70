import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { ownerIdOf } from "#test/support/harness/operator-identity.ts";
import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import { readStoredSecrets } from "#test/support/harness/stored-secrets.ts";
import { managedCollections, type Team, type World } from "./world.ts";

/** The cluster and the platform at one moment. */
export interface Picture {
  readonly objects: readonly KubeObject[];
  readonly teams: ReadonlyMap<string, Team>;
  readonly secrets: readonly KubeObject[];
  readonly resources: Readonly<Record<PlatformCollection, readonly PlatformResource[]>>;
  /** The client secret of each identity provider on the platform, by its uid. */
  readonly clientSecrets: ReadonlyMap<string, string>;
  /** The orphans that Tenants report, and those that events report when their objects go. */
  readonly reportedOrphans: ReadonlySet<string>;
  readonly ownerId: string;
}

export async function takePicture(world: World): Promise<Picture> {
  const [objects, secrets, assigned, tenants, events, ownerId, ...lists] = await Promise.all([
    world.objects(),
    world.secrets(),
    world.assignments(),
    world.kube.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant" }),
    world.kube.list({ apiVersion: "events.k8s.io/v1", kind: "Event" }),
    ownerIdOf(world.system.controlPlane),
    ...managedCollections.map(async (collection) => [collection, await world.platform.list(collection)] as const),
  ]);
  const resources = Object.fromEntries(lists) as Record<PlatformCollection, PlatformResource[]>;
  const inEvents = events.flatMap(({ reason, note }): string[] =>
    // A role binding that equals the one that is deleted, and is perhaps the operator's own, stays.
    reason === "Orphaned" || (reason === "Deleted" && /remain: /.test(String(note)))
      ? String(note)
          .split(/[ ,]+|\.$/)
          .filter((word) => word.includes("/"))
      : [],
  );
  const reportedOrphans = new Set<string>([...tenants.flatMap(({ status }) => status?.orphanUids ?? []), ...inEvents]);
  const clientSecrets = readStoredSecrets(world.system.platformDataFile);
  return { objects, secrets, teams: assigned, resources, clientSecrets, reportedOrphans, ownerId };
}
