import { isDeepStrictEqual } from "node:util";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, type AnyMusterKind, isReady, kindRef } from "./muster-objects.ts";
import type { PlatformAdmin, PlatformCollection, PlatformResource } from "./platform-admin.ts";

export const collectionOf = {
  Group: "groups",
  Identity: "identities",
  Role: "roles",
  RoleBinding: "roleBindings",
  IdentityProvider: "identityProviders",
  AccountAssociation: "accountAssociations",
  GroupInvite: "groupInvites",
} as const satisfies Readonly<Record<AnyMusterKind, PlatformCollection>>;

/** The uid of the group in which a resource is: an account association has that of its group. */
export function groupUidOf(kind: AnyMusterKind, uid: string): string {
  return kind === "AccountAssociation" ? uid : uid.slice(0, uid.lastIndexOf("/"));
}

const marker = / ?\[muster:[0-9a-f]{8}[-+][0-9a-f]{16}\]$/;

export const withoutMarker = (description: string): string => description.replace(marker, "");
export const hasMarker = (description: string): boolean => marker.test(description);

/** A cluster and its platform. */
export interface ComparedSystem {
  readonly controlPlane: { readonly admin: Pick<KubeClient, "list"> };
  readonly admin: Pick<PlatformAdmin, "list">;
  /** The uids of the platform's resources from before the first operator. */
  readonly preexisting: ReadonlySet<string>;
}

type Objects = ReadonlyMap<string, readonly KubeObject[]>;

/**
 * Compares the custom resources with the platform's resources: every custom resource is Ready and has one platform
 * resource that matches its spec, and the platform has no others, except those from before the first operator.
 * @param foreign the uids of platform resources that the test created itself
 * @returns the differences
 */
export async function differencesFromPlatform(
  system: ComparedSystem,
  foreign: readonly string[] = [],
): Promise<string[]> {
  const { admin } = system.controlPlane;
  const objects: Objects = new Map(
    await Promise.all(allMusterKinds.map(async (kind) => [kind, await admin.list(kindRef(kind))] as const)),
  );
  const differences: string[] = [];
  for (const kind of allMusterKinds) {
    const declared = objects.get(kind) ?? [];
    const resources = new Map(
      (await system.admin.list(collectionOf[kind])).map((resource) => [resource.uid, resource]),
    );
    for (const uid of [...system.preexisting, ...foreign]) resources.delete(uid);
    for (const object of declared) {
      const report = (difference: string) => differences.push(`${kind} ${object.metadata.name}: ${difference}`);
      if (!isReady(object)) report(`not ready: ${JSON.stringify(object["status"])}`);
      const uid: string | undefined = object["status"]?.uid;
      const resource = uid === undefined ? undefined : resources.get(uid);
      if (resource === undefined) {
        report(`the platform has no resource ${uid}, or another object has the same uid`);
        continue;
      }
      resources.delete(resource.uid);
      for (const difference of differencesOf(object, resource, objects)) report(difference);
    }
    for (const { uid, name, description } of resources.values())
      differences.push(`${collectionOf[kind]}: ${uid} (${name}, ${description}) has no custom resource`);
  }
  return differences;
}

/** What the platform's resource of an object has otherwise than its spec and its status say. @param objects all, by kind */
export function differencesOf(object: KubeObject, resource: PlatformResource, objects: Objects): string[] {
  return fieldsOf(object.kind as AnyMusterKind, object, resource, objects)
    .filter(([, expected, actual]) => !isDeepStrictEqual(expected, actual))
    .map(([field, expected, actual]) => `${field} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`);
}

/** The fields that must be equal: of the spec, or of the status, and of the platform's resource. */
function fieldsOf(
  kind: AnyMusterKind,
  object: KubeObject,
  resource: PlatformResource,
  objects: Objects,
): [field: string, expected: unknown, actual: unknown][] {
  const { spec, status, metadata } = object as KubeObject & Record<"spec" | "status", Record<string, any>>; // oxlint-disable-line typescript/no-explicit-any
  const uidOf = (of: AnyMusterKind, name: string | undefined) =>
    objects.get(of)?.find((other) => other.metadata.namespace === metadata.namespace && other.metadata.name === name)?.[
      "status"
    ]?.uid;
  const parent =
    spec["parentUid"] ?? spec["groupUid"] ?? uidOf("Group", spec["parentRef"]?.name ?? spec["groupRef"]?.name);
  const places: [string, unknown, unknown][] = [
    ["the parent", parent, groupUidOf(kind, resource.uid)],
    ["status.parentUid", parent, status["parentUid"]],
    ["status.observedGeneration", metadata.generation, status["observedGeneration"]],
  ];
  if (kind === "RoleBinding")
    return [
      ...places,
      ["the identity", spec["identityUid"] ?? uidOf("Identity", spec["identityRef"]?.name), resource["identity"]?.uid],
      ...(spec["roleRef"] === undefined
        ? []
        : ([["the role", spec["roleRef"].name, resource["role"]?.name]] as [string, unknown, unknown][])),
    ];
  if (kind === "GroupInvite")
    return [
      ...places,
      ["the role", spec["roleRef"]?.name, resource["role"]?.name],
      ["the e-mail address", spec["email"] ?? "", resource["email"]],
      ["singleUse", spec["singleUse"], resource["singleUse"]],
    ];
  return [
    ...places,
    ["the issuer", spec["issuer"], resource["oidc"]?.issuer],
    ["the client", spec["clientId"], resource["oidc"]?.clientId],
    ["the accounts", accountsOf(spec), accountsOf(resource)],
    ["the name", spec["name"] ?? metadata.name, resource.name],
    [
      "the description",
      spec["description"] ?? withoutMarker(resource.description),
      withoutMarker(resource.description),
    ],
    ...(spec["capabilities"] === undefined
      ? []
      : ([["the capabilities", spec["capabilities"].toSorted(), resource["capabilities"]?.toSorted()]] as [
          string,
          unknown,
          unknown,
        ][])),
    ...(spec["claimMatch"] === undefined
      ? []
      : Object.entries(spec["claimMatch"]).map(([field, value]): [string, unknown, unknown] => [
          `claimMatch.${field}`,
          value,
          resource["claimMatch"]?.[field],
        ])),
  ];
}

/** The accounts that an AccountAssociation, or its spec, names. */
export function accountsOf({ amazon, google, azure }: Readonly<Record<string, unknown>>): object {
  return { amazon, google, azure };
}
