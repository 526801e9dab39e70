import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { allMusterKinds } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import type { System } from "#test/support/harness/system.ts";
import { keyOf } from "./object-watch.ts";

/** The cluster and the platform at one moment. */
export interface Picture {
  /** By `Group NAMESPACE/NAME`. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** By `groups UID`: an account association has the uid of its group. */
  readonly resources: ReadonlyMap<string, PlatformResource>;
  /** By `NAMESPACE/NAME`. */
  readonly secrets: ReadonlyMap<string, KubeObject>;
  /** The uids that Tenants report as orphans. */
  readonly orphans: readonly string[];
}

export async function takePicture(
  system: System,
  objects: ReadonlyMap<string, KubeObject>,
  namespaces: readonly string[],
): Promise<Picture> {
  const { admin: kube } = system.controlPlane;
  const [secrets, tenants, ...collections] = await Promise.all([
    kube.list({ apiVersion: "v1", kind: "Secret" }),
    kube.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant" }),
    ...allMusterKinds.map(async (kind) => [collectionOf[kind], await system.admin.list(collectionOf[kind])] as const),
  ]);
  const resources = collections.flatMap(([collection, list]) =>
    list.map((resource): [string, PlatformResource] => [`${collection} ${resource.uid}`, resource]),
  );
  const own = secrets.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? ""));
  return {
    objects: new Map([...objects.values()].map((object) => [keyOf(object), object])),
    resources: new Map(resources),
    secrets: new Map(own.map((secret) => [`${secret.metadata.namespace}/${secret.metadata.name}`, secret])),
    orphans: tenants.flatMap(({ status }): string[] => status?.orphanUids ?? []),
  };
}
