import type { Status } from "#src/api/status.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { carriedMarker, markerOf, objectHash, ownerHash, ownerOf } from "#src/kinds/marker.ts";
import { observe } from "#src/reconcile/observe/observe.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { decide } from "#src/reconcile/policy/decide.ts";
import type { MemoryKube } from "./memory-kube.ts";
import type { MemoryPlatform } from "./memory-platform.ts";
import { falseStatements } from "./ready-objects.ts";

const collections = {
  Group: "groups",
  Identity: "identities",
  Role: "roles",
  RoleBinding: "roleBindings",
  IdentityProvider: "identityProviders",
  AccountAssociation: "accountAssociations",
  GroupInvite: "groupInvites",
} as const;

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
      const step = observed === undefined ? "none" : decide(observed, kind).step.do;
      return `${kind.name} ${key}: ${step}`;
    }).filter((text) => !/: (none|done|wait)$/.test(text)),
  );
}

/**
 * What is wrong once everything has settled, whatever happened before:
 * - *U*: an object has at most one resource, and no resource is recorded by two objects.
 * - *L*: every resource of this owner, and every role binding, has its object.
 * - *S*: what an object that is Ready says exists on the platform, with the values that the spec declares.
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
  for (const [kind, collection] of Object.entries(collections)) {
    const resources = platform.createdIn(collection).filter(({ uid }) => !handMade.includes(uid));
    const ofKind = objects.filter((object) => object.kind === kind);
    const counts = new Map<string, number>();
    for (const resource of resources) {
      const marker = carriedMarker(resource);
      if (marker !== undefined && ownerOf(marker) !== owner) continue;
      // Any number of objects may observe a resource.
      const recording = ofKind.filter(({ status }) => status?.uid === resource.uid && status.management !== "Observed");
      if (recording.length > 1)
        found.push(`U: ${recording.map(({ text }) => text).join(" and ")} record ${resource.uid}`);
      const [object] = [...recording, ...ofKind.filter((one) => one.marker === marker)];
      if (object === undefined) found.push(`L: ${collection} ${JSON.stringify(resource)} has no object`);
      else counts.set(object.text, (counts.get(object.text) ?? 0) + 1);
    }
    for (const [text, count] of counts) if (count > 1) found.push(`U: ${text} has ${count} resources`);
  }
  found.push(...falseStatements(kube, platform, kinds).map(({ text }) => `S: ${text}`));
  return found;
}
