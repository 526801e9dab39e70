import type { Status } from "#src/api/status.ts";
import { carriedMarker, markerOf, objectHash, ownerHash, ownerOf, withoutMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { observe } from "#src/reconcile/observe/observe.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { decide } from "#src/reconcile/policy/decide.ts";
import type { MemoryKube } from "./memory-kube.ts";
import type { MemoryPlatform } from "./memory-platform.ts";

const collections = {
  Group: "groups",
  Identity: "identities",
  Role: "roles",
  RoleBinding: "roleBindings",
  IdentityProvider: "identityProviders",
  AccountAssociation: "accountAssociations",
  GroupInvite: "groupInvites",
} as const;

type Fields = ExternalResource & {
  readonly name?: string;
  readonly description?: string;
  readonly capabilities?: readonly string[];
};

function isSameSet(a: unknown, b: readonly string[] = []): boolean {
  return JSON.stringify((a as readonly string[]).toSorted()) === JSON.stringify(b.toSorted());
}

export interface InvariantsOptions {
  /** The uids of resources that somebody else created: nothing is said about them. */
  readonly handMade?: readonly string[];
  readonly ownerId?: string;
}

/** The steps that an operator at rest still wants to make, because nothing woke their objects: there should be none. */
export function missedSteps(sources: Sources): string[] {
  return sources.kinds.flatMap((kind) =>
    Array.from(sources.stores.get(kind.name).keys(), (key) => {
      const observed = observe(sources, kind, key);
      const step = observed === undefined ? "none" : decide(observed, kind).do;
      return `${kind.name} ${key}: ${step}`;
    }).filter((text) => !/: (none|done|wait)$/.test(text)),
  );
}

/**
 * What is wrong once everything has settled, whatever happened before:
 * - *U*: an object has at most one resource, and no resource is recorded by two objects.
 * - *L*: every resource of this owner, and every role binding, has its object.
 * - *S*: an object that is Ready has a resource, below the right group, with the right name and grant.
 */
export function violations(kube: MemoryKube, platform: MemoryPlatform, options: InvariantsOptions = {}): string[] {
  const { handMade = [], ownerId = "cluster" } = options;
  const found: string[] = [];
  const owner = ownerHash(ownerId);
  const objects = kube.objects().map(({ kind, metadata, spec, status }) => ({
    text: `${kind} ${metadata.namespace}/${metadata.name}`,
    kind,
    metadata,
    spec: spec as Readonly<Record<string, unknown>>,
    status: status as Status | undefined,
    marker: markerOf(owner, objectHash(kind, metadata.namespace ?? "", metadata.name)),
  }));
  const isReady = (status: Status | undefined) =>
    status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;
  for (const [kind, collection] of Object.entries(collections)) {
    const resources = (platform.createdIn(collection) as readonly Fields[]).filter(
      ({ uid }) => !handMade.includes(uid),
    );
    const ofKind = objects.filter((object) => object.kind === kind);
    const counts = new Map<string, number>();
    for (const resource of resources) {
      const marker = carriedMarker(resource);
      if (marker !== undefined && ownerOf(marker) !== owner) continue;
      const recording = ofKind.filter(({ status }) => status?.uid === resource.uid);
      if (recording.length > 1)
        found.push(`U: ${recording.map(({ text }) => text).join(" and ")} record ${resource.uid}`);
      const [object] = [...recording, ...ofKind.filter((one) => one.marker === marker)];
      if (object === undefined) found.push(`L: ${collection} ${JSON.stringify(resource)} has no object`);
      else counts.set(object.text, (counts.get(object.text) ?? 0) + 1);
    }
    for (const [text, count] of counts) if (count > 1) found.push(`U: ${text} has ${count} resources`);
    for (const { text, spec, status, metadata } of ofKind) {
      if (!isReady(status) || metadata.deletionTimestamp !== undefined) continue;
      const resource: Fields | undefined = platform.createdIn(collection).find(({ uid }) => uid === status?.uid);
      if (resource === undefined) {
        found.push(`S: ${text} is Ready, and ${status?.uid} does not exist`);
        continue;
      }
      const group = kind === "AccountAssociation" ? resource.uid : parentOf(resource.uid);
      if (group !== status?.parentUid) found.push(`S: ${text} has the parent ${status?.parentUid}`);
      const { name, description } = spec;
      if (kind !== "RoleBinding" && kind !== "GroupInvite" && resource.name !== (name ?? metadata.name))
        found.push(`S: ${text} is Ready, and its name is ${resource.name}`);
      if (description !== undefined && withoutMarker(resource.description ?? "") !== description)
        found.push(`S: ${text} is Ready, and its description is ${resource.description}`);
      if (kind === "RoleBinding" && (resource as ExternalRoleBinding).identity.uid !== status?.identityUid)
        found.push(`S: ${text} is Ready, and its identity is not ${status?.identityUid}`);
      if (status?.roleUid !== undefined && (resource as ExternalRoleBinding).role.uid !== status?.roleUid)
        found.push(`S: ${text} is Ready, and its role is not ${status?.roleUid}`);
      if (spec["capabilities"] !== undefined && !isSameSet(spec["capabilities"], resource.capabilities))
        found.push(`S: ${text} is Ready, and its capabilities are ${resource.capabilities?.join()}`);
    }
  }
  return found;
}
