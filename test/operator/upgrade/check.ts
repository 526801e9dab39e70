import { isDeepStrictEqual } from "node:util";
import { finalizer } from "#src/api/custom-resource.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { collectionOf, differencesOf } from "#test/support/harness/comparison.ts";
import { type AnyMusterKind, conditionOf, isReady } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { issuedIn } from "#test/support/harness/secret-objects.ts";
import { available, type Declared } from "./declarations.ts";
import type { Picture } from "./picture.ts";

/** What must be true at rest. */
export interface Expectation {
  /** Every object that is declared and not deleted, by its key. */
  readonly declared: ReadonlyMap<string, Declared>;
  /** The resources that others made and no object may change, as they were made, by `groups UID`. */
  readonly byHand: ReadonlyMap<string, PlatformResource>;
  /** The resources that exist besides those of objects: from before, adopted and released, or orphaned. */
  readonly others: ReadonlySet<string>;
  /** The picture after the turn before, and the objects that were touched since. */
  readonly before: Picture | undefined;
  readonly touched: ReadonlySet<string>;
}

/** Compares a picture at rest with what is declared, and with the picture before. @returns what is wrong */
export function findViolations(picture: Picture, expectation: Expectation): string[] {
  return [
    ...objectViolations(picture, expectation),
    ...resourceViolations(picture, expectation),
    ...changesOfUntouched(picture, expectation),
    ...picture.orphans.map((uid) => `a Tenant reports the orphan ${uid}`),
  ];
}

/** Whether the object is in the state that is expected of it. */
export function isSettled(object: KubeObject | undefined, { expected }: Declared): boolean {
  if (expected === available) return isReady(object);
  const ready = conditionOf(object, "Ready");
  return (
    ready !== undefined &&
    ready.status !== "True" &&
    ready.reason === expected &&
    ready.observedGeneration === object?.metadata.generation
  );
}

function objectViolations({ objects, resources, secrets }: Picture, { declared }: Expectation): string[] {
  const byKind = Map.groupBy(objects.values(), ({ kind }) => kind);
  const violations: string[] = [];
  for (const [key, one] of declared) {
    const object = objects.get(key);
    const report = (text: string) => violations.push(`${key}: ${text}`);
    if (object === undefined) {
      report("the object is gone");
      continue;
    }
    const ready = conditionOf(object, "Ready");
    if (!isSettled(object, one))
      report(`Ready is ${ready?.status} (${ready?.reason}: ${ready?.message}), not as expected: ${one.expected}`);
    if (object.metadata.deletionTimestamp !== undefined) report("the object is being deleted");
    const uid: string | undefined = object["status"]?.uid;
    if (!one.hasResource) {
      if (uid !== undefined) report(`has the resource ${uid}, and must not have one`);
      continue;
    }
    const resource = resources.get(`${collectionOf[object.kind as AnyMusterKind]} ${uid}`);
    if (resource === undefined) {
      report(`has no resource: its uid is ${uid}`);
      continue;
    }
    const isObserved = object["status"]?.management === "Observed";
    if (!isObserved && object.metadata.finalizers?.includes(finalizer) !== true) report("has no finalizer");
    for (const difference of differencesOf(object, resource, byKind)) report(difference);
    const secret = object["spec"].secretRef?.name;
    const issued = secret === undefined ? undefined : secrets.get(`${object.metadata.namespace}/${secret}`);
    if (secret !== undefined && (issued === undefined || issuedIn(issued)?.uid !== uid))
      report("its Secret has no code, or that of another invite");
  }
  for (const key of objects.keys())
    if (!declared.has(key)) violations.push(`${key}: the object was deleted and is there`);
  return violations;
}

/** Every resource is that of one object, or known. */
function resourceViolations({ objects, resources }: Picture, { declared, byHand, others }: Expectation): string[] {
  const violations: string[] = [];
  const owners = new Map<string, string>();
  for (const [key, object] of objects) {
    const uid: string | undefined = object["status"]?.uid;
    if (uid === undefined || declared.get(key)?.hasResource !== true) continue;
    const resource = `${collectionOf[object.kind as AnyMusterKind]} ${uid}`;
    const other = owners.get(resource);
    if (other !== undefined) violations.push(`${resource} is that of ${other} and of ${key}`);
    owners.set(resource, key);
  }
  for (const [key, resource] of resources)
    if (!owners.has(key) && !byHand.has(key) && !others.has(key))
      violations.push(`${key} (${resource.name}, ${resource.description}) is that of no object`);
  for (const [key, made] of byHand) {
    const now = resources.get(key);
    if (now === undefined) violations.push(`${key} (${made.name}), made by hand, is gone`);
    else if (!isDeepStrictEqual(stable(now), stable(made)))
      violations.push(`${key} (${made.name}), made by hand, was changed: ${JSON.stringify(now)}`);
  }
  for (const key of others) if (!resources.has(key)) violations.push(`${key}, which was there before, is gone`);
  return violations;
}

/** What nobody touched has the same resource, without another write on the platform, and the same Secret. */
function changesOfUntouched(picture: Picture, { declared, before, touched }: Expectation): string[] {
  if (before === undefined) return [];
  const violations: string[] = [];
  for (const [key] of declared) {
    const earlier = before.objects.get(key);
    const object = picture.objects.get(key);
    if (touched.has(key) || earlier === undefined || object === undefined) continue;
    const report = (text: string) => violations.push(`${key}: nobody touched it, and ${text}`);
    const uid: string | undefined = object["status"]?.uid;
    if (object.metadata.uid !== earlier.metadata.uid) report("it is another object");
    if (uid !== earlier["status"]?.uid) report(`its uid was ${earlier["status"]?.uid} and is ${uid}`);
    const resource = `${collectionOf[object.kind as AnyMusterKind]} ${uid}`;
    const [was, is] = [before.resources.get(resource), picture.resources.get(resource)];
    if (was !== undefined && is !== undefined && !isDeepStrictEqual(stable(was), stable(is)))
      report(`its resource was ${JSON.stringify(was)} and is ${JSON.stringify(is)}`);
    const secret = object["spec"].secretRef?.name ?? object["spec"].clientSecretRef?.name;
    if (secret === undefined) continue;
    const place = `${object.metadata.namespace}/${secret}`;
    if (before.secrets.get(place)?.metadata.resourceVersion !== picture.secrets.get(place)?.metadata.resourceVersion)
      report("its Secret was written");
  }
  return violations;
}

/** A resource without what is not its own: the time of the last token, and what the resources to which it refers are called. */
function stable({ lastSeenTime: _seen, etag: _etag, ...resource }: PlatformResource): object {
  const uidOnly = (value: unknown) =>
    typeof value === "object" && value !== null && "uid" in value ? { uid: value.uid } : value;
  return Object.fromEntries(Object.entries(resource).map(([field, value]) => [field, uidOnly(value)]));
}
