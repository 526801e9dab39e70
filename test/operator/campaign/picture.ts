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
  /** How many invites nobody declares, as the leader's metric says; undefined without a leader. */
  readonly undeclaredInvites: number | undefined;
  readonly ownerId: string;
}

/** A leader that does not respond in this time says nothing. */
const metricsMs = 5_000;

export async function takePicture(world: World): Promise<Picture> {
  const [undeclaredInvites, objects, secrets, assigned, tenants, events, ownerId, ...lists] = await Promise.all([
    countUndeclaredInvites(world),
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
  return {
    objects,
    secrets,
    teams: assigned,
    resources,
    clientSecrets,
    reportedOrphans,
    undeclaredInvites,
    ownerId,
  };
}

async function countUndeclaredInvites({ operators }: World): Promise<number | undefined> {
  const leader = operators.running.find(({ process }) => process === operators.leader);
  if (leader === undefined) return undefined;
  const response = await fetch(`${leader.url}/metrics`, { signal: AbortSignal.timeout(metricsMs) }).catch(
    () => undefined,
  );
  const count = /^muster_undeclared\{kind="GroupInvite"\} (\d+)$/m.exec((await response?.text()) ?? "")?.[1];
  return count === undefined ? undefined : Number(count);
}
