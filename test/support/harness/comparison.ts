import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady, kindRef, type MusterKind, musterKinds } from "./muster-objects.ts";
import type { PlatformCollection, PlatformResource } from "./platform-admin.ts";
import type { System } from "./system.ts";

export const collectionOf: Readonly<Record<MusterKind, PlatformCollection>> = {
  Group: "groups",
  Identity: "identities",
  RoleBinding: "roleBindings",
};

const marker = / ?\[muster:[0-9a-f]{8}-[0-9a-f]{16}\]$/;

export const withoutMarker = (description: string): string => description.replace(marker, "");
export const hasMarker = (description: string): boolean => marker.test(description);

type Objects = Readonly<Record<MusterKind, readonly KubeObject[]>>;

/**
 * Compares what Kubernetes says with what the platform lists, with the administrator's eyes on both: every custom
 * resource is Ready and stands for one thing that is as its spec says, and nothing else is there that was not there
 * when the system started. `foreign` are uids that other hands made. Empty where all is well.
 */
export async function differencesFromPlatform(system: System, foreign: readonly string[] = []): Promise<string[]> {
  const { admin } = system.controlPlane;
  const [groups, identities, roleBindings] = await Promise.all([
    admin.list(kindRef("Group")),
    admin.list(kindRef("Identity")),
    admin.list(kindRef("RoleBinding")),
  ]);
  const objects: Objects = { Group: groups, Identity: identities, RoleBinding: roleBindings };
  const differences: string[] = [];
  for (const kind of musterKinds) {
    const rows = new Map((await system.admin.list(collectionOf[kind])).map((row) => [row.uid, row]));
    for (const uid of [...system.preexisting, ...foreign]) rows.delete(uid);
    for (const object of objects[kind]) {
      const tell = (what: string) => differences.push(`${kind} ${object.metadata.name}: ${what}`);
      if (!isReady(object)) tell(`not ready: ${JSON.stringify(object["status"])}`);
      const uid: string | undefined = object["status"]?.uid;
      const row = uid === undefined ? undefined : rows.get(uid);
      if (row === undefined) {
        tell(`nothing on the platform has the uid ${uid}, or another object has it too`);
        continue;
      }
      rows.delete(row.uid);
      for (const [what, wanted, is] of comparable(kind, object, row, objects))
        if (!isDeepStrictEqual(wanted, is)) tell(`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`);
    }
    for (const row of rows.values())
      differences.push(`${collectionOf[kind]}: ${row.uid} (${row.name}, ${row.description}) belongs to nothing`);
  }
  return differences;
}

function comparable(
  kind: MusterKind,
  object: KubeObject,
  row: PlatformResource,
  objects: Objects,
): [what: string, wanted: unknown, is: unknown][] {
  const { spec, status, metadata } = object as KubeObject & Record<"spec" | "status", Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any
  const uidOf = (of: MusterKind, name: string | undefined) =>
    objects[of].find((one) => one.metadata.namespace === metadata.namespace && one.metadata.name === name)?.["status"]
      ?.uid;
  const parent =
    spec["parentUid"] ?? spec["groupUid"] ?? uidOf("Group", spec["parentRef"]?.name ?? spec["groupRef"]?.name);
  const places: [string, unknown, unknown][] = [
    ["the parent", parent, row.uid.slice(0, row.uid.lastIndexOf("/"))],
    ["status.parentUid", parent, status["parentUid"]],
    ["status.observedGeneration", metadata.generation, status["observedGeneration"]],
  ];
  if (kind === "RoleBinding")
    return [
      ...places,
      ["the identity", spec["identityUid"] ?? uidOf("Identity", spec["identityRef"]?.name), row["identity"]?.uid],
      ...(spec["roleRef"] === undefined
        ? []
        : ([["the role", spec["roleRef"].name, row["role"]?.name]] as [string, unknown, unknown][])),
    ];
  return [
    ...places,
    ["the name", spec["name"] ?? metadata.name, row.name],
    ["the description", spec["description"] ?? withoutMarker(row.description), withoutMarker(row.description)],
    ...(spec["claimMatch"] === undefined
      ? []
      : Object.entries(spec["claimMatch"]).map(([field, value]): [string, unknown, unknown] => [
          `claimMatch.${field}`,
          value,
          row["claimMatch"]?.[field],
        ])),
  ];
}
