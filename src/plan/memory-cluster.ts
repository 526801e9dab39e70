import { isDeepStrictEqual } from "node:util";
import type { CallOptions, KubeApi, PatchOptions } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { mergePatch } from "#src/kube/merge-patch.ts";
import { compareResourceVersions, type KubeObject, keyOf, type ResourceKind } from "#src/kube/object.ts";
import type { ObjectEvent } from "#src/kube/store.ts";
import type { Clock } from "#src/time/clock.ts";

/** An object with what the API server adds to it. */
export type ClusterObject = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** What the operator calls of Kubernetes while it reconciles: nothing else can be called in a plan. */
export type ReconcilerKube = Pick<KubeApi, "get" | "patch">;

/**
 * A copy of what was read from Kubernetes, which changes as the API server would change it. Nothing leaves it.
 *
 * **Guarantees.** Patches obey their preconditions, a change of the spec and a deletion increment the generation, and an object
 * that is being deleted exists until its last finalizer is removed. A namespace is deleted with everything in it, and exists until all of
 * that is gone. Versions increase from the highest one that was read. A change replaces an object: whoever has it shares it, and what
 * did not change of it.
 *
 * **Caveats.** Admission policies and webhooks, quotas and RBAC are not part of the copy. The policy that adds the finalizer changes
 * nothing that a plan shows.
 */
export class MemoryCluster implements ReconcilerKube {
  readonly #objects = new Map<string, ClusterObject>();
  readonly #clock: Clock;
  #version = 0n;
  #uids = 0;
  #events: ObjectEvent[] = [];

  constructor(objects: Iterable<ClusterObject>, clock: Clock) {
    this.#clock = clock;
    let highest = "0";
    for (const object of objects) {
      const { resourceVersion = "0" } = object.metadata;
      if (compareResourceVersions(resourceVersion, highest) > 0) highest = resourceVersion;
      this.#objects.set(nameOf(object), object);
    }
    this.#version = /^\d+$/.test(highest) ? BigInt(highest) : 0n;
    // What was written in a file has no uid and no version.
    for (const [name, object] of this.#objects)
      if (object.metadata.uid === undefined) this.#objects.set(name, this.#added(object));
  }

  /** The version of the last change. */
  get version(): string {
    return String(this.#version);
  }

  /** All objects as they are now. Later changes replace them. */
  all(): readonly ClusterObject[] {
    return [...this.#objects.values()];
  }

  ofKind(kind: string): readonly ClusterObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  find(kind: string, key: string): ClusterObject | undefined {
    return this.#objects.get(`${kind} ${key}`);
  }

  /** What happened since the last call, in order, as a watch would report it. */
  takeEvents(): readonly ObjectEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /**
   * Creates the object, or replaces it. A new object has no status, uid or version of its own, as a file may have that was read
   * from a cluster.
   */
  put(wanted: ClusterObject): void {
    const before = this.#objects.get(nameOf(wanted));
    if (before === undefined) {
      const { status: _, metadata: given, ...created } = wanted;
      const { generation: __, resourceVersion: ___, uid: ____, ...metadata } = given;
      this.#store(undefined, this.#added({ ...created, metadata }));
    } else if (!isDeepStrictEqual(wanted, before)) this.#store(before, wanted);
  }

  /** Like `kubectl delete --wait=false`. @returns false if there is no such object */
  remove(kind: string, key: string): boolean {
    const before = this.find(kind, key);
    if (before === undefined) return false;
    const deletionTimestamp = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    if (before.metadata.deletionTimestamp === undefined)
      this.#store(before, {
        ...before,
        metadata: { ...before.metadata, deletionTimestamp, generation: (before.metadata.generation ?? 0) + 1 },
      });
    if (kind === "Namespace")
      for (const object of this.all()) if (isIn(object, key)) this.remove(object.kind, keyOf(object));
    return true;
  }

  /** Only CustomResourceDefinitions are read: they exist, and are not being deleted. */
  async get<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    _options: CallOptions,
  ): Promise<T> {
    if (resource.kind !== "CustomResourceDefinition") {
      const found = this.find(resource.kind, namespace === undefined ? name : `${namespace}/${name}`);
      if (found === undefined) throw notFound(`get ${resource.plural}`);
      return found as KubeObject as T;
    }
    return { apiVersion: `${resource.group}/${resource.version}`, kind: resource.kind, metadata: { name } } as T;
  }

  async patch<T extends KubeObject>(
    resource: ResourceKind,
    namespace: string | undefined,
    name: string,
    body: object,
    { subresource }: PatchOptions,
  ): Promise<T> {
    const call = `patch ${resource.plural}${subresource === undefined ? "" : `/${subresource}`}`;
    const before = this.find(resource.kind, namespace === undefined ? name : `${namespace}/${name}`);
    if (before === undefined) throw notFound(call);
    const { metadata: preconditions = {} } = body as { readonly metadata?: Partial<KubeObject["metadata"]> };
    for (const field of ["uid", "resourceVersion"] as const)
      if (preconditions[field] !== undefined && preconditions[field] !== before.metadata[field])
        throw new KubeError({ call, code: 409, reason: "Conflict" }, "the object has been modified");
    const { status, ...main } = mergePatch(before, body) as ClusterObject;
    const after =
      subresource === "status"
        ? { ...before, status }
        : { ...main, ...(before.status === undefined ? {} : { status: before.status }) };
    return this.#store(before, after) as KubeObject as T;
  }

  #added(object: ClusterObject): ClusterObject {
    const creationTimestamp = new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
    return {
      ...object,
      metadata: {
        ...object.metadata,
        uid: object.metadata.uid ?? `planned-${++this.#uids}`,
        resourceVersion: object.metadata.resourceVersion ?? String(++this.#version),
        generation: object.metadata.generation ?? 1,
        creationTimestamp: object.metadata.creationTimestamp ?? creationTimestamp,
      },
    };
  }

  #store(before: ClusterObject | undefined, wanted: ClusterObject): ClusterObject {
    const isEdited = before !== undefined && !isDeepStrictEqual(before.spec, wanted.spec);
    const after: ClusterObject = {
      ...wanted,
      metadata: {
        ...wanted.metadata,
        resourceVersion: String(++this.#version),
        generation: (wanted.metadata.generation ?? 1) + (isEdited ? 1 : 0),
      },
    };
    const { deletionTimestamp, finalizers = [], namespace = "" } = after.metadata;
    const isGone = deletionTimestamp !== undefined && finalizers.length === 0 && !this.#hasContent(after);
    if (isGone) this.#objects.delete(nameOf(after));
    else this.#objects.set(nameOf(after), after);
    const type = isGone ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
    this.#events.push({ type, object: after });
    const left = isGone ? this.find("Namespace", namespace) : undefined;
    // It may have been the last object that kept its namespace.
    if (left?.metadata.deletionTimestamp !== undefined && !this.#hasContent(left)) this.#store(left, left);
    return after;
  }

  /** Whether it is a namespace in which something is left. */
  #hasContent({ kind, metadata }: ClusterObject): boolean {
    return kind === "Namespace" && this.#objects.values().some((object) => isIn(object, metadata.name));
  }
}

function isIn({ metadata }: ClusterObject, namespace: string): boolean {
  return metadata.namespace === namespace;
}

function nameOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}

function notFound(call: string): KubeError {
  return new KubeError({ call, code: 404, reason: "NotFound" }, "not found");
}
