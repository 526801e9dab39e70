import { isDeepStrictEqual } from "node:util";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import type { KubeApi, PatchOptions } from "#src/kube/api.ts";
import type { Clock } from "#src/time/clock.ts";
import { KubeError } from "#src/kube/errors.ts";
import { mergePatch } from "#src/kube/merge-patch.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import type { ObjectEvent } from "#src/kube/store.ts";

export const namespace = "team";

/** An object as in a file for `kubectl apply`. */
export interface Manifest {
  readonly kind: string;
  readonly name: string;
  /** By default `team`. */
  readonly namespace?: string;
  /** Absent: those that the object has. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: object;
}

/** A cluster-scoped object: a Tenant, or a namespace. */
export interface ClusterManifest {
  readonly kind: "Tenant" | "Namespace";
  readonly name: string;
  readonly spec?: object;
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a patch changes: the status, or the metadata. */
export interface RefusablePatch {
  readonly kind: string;
  readonly name: string;
  readonly subresource: PatchOptions["subresource"];
  readonly dryRun?: boolean;
}

type Stored = KubeObject & { readonly spec: object; readonly status?: object };

type StoredSecret = KubeObject & { readonly data: Readonly<Record<string, string>> };

/** The delay of a watch event, so that it arrives after the response to the write that caused it. */
const watchLagMs = 2;

/**
 * Kubernetes in memory, as far as reconciliation uses it: patches with preconditions, finalizers, generations, and watch
 * events.
 *
 * It shares nothing with the `MemoryCluster` of plans, which could stand on it, or it on that: their comparison
 * (`plan-equals-act.test.ts`) finds what one of them does unlike the API server, as when a spec with its fields in another order counted
 * as an edit here.
 */
export class MemoryKube implements Pick<KubeApi, "get" | "patch"> {
  readonly #objects = new Map<string, Stored>();
  readonly #watchers = new Set<(event: ObjectEvent) => void>();
  readonly #clock: Clock;
  #version = 100;
  #uids = 0;
  writes = 0;
  readonly #secrets = new Map<string, StoredSecret>();
  secretReads = 0;
  /** As without a Role that names the Secret. */
  forbidsSecrets = false;
  /** As with a Role that names the Secret, but only to read it. */
  forbidsSecretWrites = false;
  /** After this many reads, Secrets are forbidden. */
  allowedSecretReads = Number.POSITIVE_INFINITY;
  /** As in a namespace that is being deleted and has lost our RoleBinding: finalizers can be removed, no status or event written. */
  forbidsStatus = false;
  /** As with the MutatingAdmissionPolicy `muster-finalizer`: an object has our finalizer from its creation. */
  admitsFinalizer = false;
  /** The fields of the status that an older CustomResourceDefinition does not have. */
  readonly droppedFields = new Set<string>();
  /** The kinds that a process cannot list and watch when it starts. */
  readonly unreadable = new Set<string>();
  /** Refuses a patch, as RBAC, a quota or an admission policy does: the error, or undefined to accept it. */
  refuses: (patch: RefusablePatch) => KubeError | undefined = () => undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get version(): string {
    return String(this.#version);
  }

  /** The objects with a namespace. */
  objects(): readonly Stored[] {
    return [...this.#objects.values()].filter(({ metadata }) => metadata.namespace !== undefined);
  }

  /** All Tenants, or all namespaces. */
  clusterObjects(kind: ClusterManifest["kind"]): readonly Stored[] {
    return [...this.#objects.values()].filter((one) => one.kind === kind && one.metadata.namespace === undefined);
  }

  find(kind: string, name: string, inNamespace: string | undefined = namespace): Stored | undefined {
    return this.#objects.get(`${kind} ${inNamespace}/${name}`);
  }

  findCluster(kind: ClusterManifest["kind"], name: string): Stored | undefined {
    return this.#objects.get(`${kind} /${name}`);
  }

  /** @returns a function that stops the watch. */
  watch(watcher: (event: ObjectEvent) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** `kubectl apply` by a person. */
  apply({ kind, name, spec, annotations, namespace: inNamespace = namespace }: Manifest): void {
    const before = this.find(kind, name, inNamespace);
    const given = annotations === undefined ? {} : { annotations };
    if (before !== undefined) this.#store(before, { ...before, metadata: { ...before.metadata, ...given }, spec });
    else {
      const finalizers = this.admitsFinalizer ? { finalizers: [finalizer] } : {};
      this.#create({ apiVersion, kind, metadata: { name, namespace: inNamespace, ...given, ...finalizers }, spec });
    }
  }

  applyCluster({ kind, name, spec = {}, labels = {} }: ClusterManifest): void {
    const before = this.findCluster(kind, name);
    if (before !== undefined) this.#store(before, { ...before, spec, metadata: { ...before.metadata, labels } });
    else this.#create({ apiVersion: kind === "Tenant" ? apiVersion : "v1", kind, metadata: { name, labels }, spec });
  }

  #create(object: Stored): void {
    this.#store(undefined, {
      ...object,
      metadata: {
        ...object.metadata,
        uid: `uid-${++this.#uids}`,
        generation: 1,
        creationTimestamp: new Date(this.#clock.now()).toISOString().replace(/\.\d+Z$/, "Z"),
      },
      status: { observedGeneration: -1 },
    });
  }

  /** Replaces the status, as a restored backup does; undefined: the status is lost. */
  setStatus(kind: string, name: string, status: Status | undefined, inNamespace = namespace): void {
    const before = this.find(kind, name, inNamespace);
    if (before !== undefined) this.#store(before, { ...before, status: status ?? { observedGeneration: -1 } });
  }

  annotate(kind: string, name: string, annotations: Readonly<Record<string, string>>): void {
    const before = this.find(kind, name);
    if (before !== undefined) this.#store(before, { ...before, metadata: { ...before.metadata, annotations } });
  }

  /** `kubectl delete --wait=false` by a person. */
  remove({ kind, name, namespace: inNamespace = namespace }: Omit<Manifest, "spec">): void {
    this.#remove(this.find(kind, name, inNamespace));
  }

  /** A namespace is deleted with everything in it, and stays until that is gone. */
  removeCluster({ kind, name }: Pick<ClusterManifest, "kind" | "name">): void {
    this.#remove(this.findCluster(kind, name));
    if (kind === "Namespace") for (const object of this.#objectsIn(name)) this.#remove(object);
  }

  #objectsIn(name: string): readonly Stored[] {
    return this.objects().filter((object) => object.metadata.namespace === name);
  }

  /** An administrator removes the finalizers. */
  clearFinalizers({ kind, name }: Pick<ClusterManifest, "kind" | "name">): void {
    const before = this.findCluster(kind, name);
    if (before !== undefined) this.#store(before, { ...before, metadata: { ...before.metadata, finalizers: [] } });
  }

  #remove(before: Stored | undefined): void {
    if (before === undefined || before.metadata.deletionTimestamp !== undefined) return;
    const deletionTimestamp = new Date(this.#clock.now()).toISOString();
    const generation = (before.metadata.generation ?? 0) + 1;
    this.#store(before, { ...before, metadata: { ...before.metadata, deletionTimestamp, generation } });
  }

  /** A Secret in the namespace, as `kubectl create secret` writes it. */
  setSecret(
    name: string,
    data: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>> = {},
  ): void {
    const entries = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    const uid = this.#secrets.get(name)?.metadata.uid ?? `uid-${++this.#uids}`;
    const metadata = { name, namespace, uid, resourceVersion: String(++this.#version), annotations };
    this.#secrets.set(name, { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(entries) });
  }

  /** The values of a Secret in the namespace. */
  secretData(name: string): Readonly<Record<string, string>> {
    const entries = Object.entries(this.#secrets.get(name)?.data ?? {});
    return Object.fromEntries(entries.map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));
  }

  removeSecret(name: string): void {
    this.#secrets.delete(name);
  }

  async #getSecret(name: string): Promise<StoredSecret> {
    this.secretReads += 1;
    return structuredClone(this.#requireSecret("get", name));
  }

  #requireSecret(verb: string, name: string): StoredSecret {
    const call = `${verb} secrets`;
    const isForbidden = this.forbidsSecrets || (verb === "patch" && this.forbidsSecretWrites);
    if (isForbidden || this.secretReads > this.allowedSecretReads) {
      const user = `User "system:serviceaccount:muster-system:muster-operator" cannot ${verb} resource "secrets"`;
      throw new KubeError({ call, code: 403, reason: "Forbidden" }, `secrets "${name}" is forbidden: ${user}`);
    }
    const secret = this.#secrets.get(name);
    if (secret === undefined) throw new KubeError({ call, code: 404, reason: "NotFound" }, "not found");
    return secret;
  }

  #patchSecret(name: string, body: object, dryRun: boolean): StoredSecret {
    const before = this.#requireSecret("patch", name);
    const refusal = this.refuses({ kind: "Secret", name, subresource: undefined, dryRun });
    if (refusal !== undefined) throw refusal;
    const { uid, resourceVersion } = (body as KubeObject).metadata;
    const isOutdated = uid !== before.metadata.uid || resourceVersion !== before.metadata.resourceVersion;
    if (uid !== undefined && isOutdated)
      throw new KubeError({ call: "patch secrets", code: 409, reason: "Conflict" }, "the object has been modified");
    const after = mergePatch(before, body) as StoredSecret;
    const written = { ...after, metadata: { ...after.metadata, resourceVersion: String(++this.#version) } };
    if (!dryRun) this.#secrets.set(name, written);
    return structuredClone(written);
  }

  async get<T extends KubeObject>({ plural }: ResourceKind, _namespace: string | undefined, name: string): Promise<T> {
    await this.#clock.sleep(1, new AbortController().signal);
    if (plural === "secrets") return (await this.#getSecret(name)) as unknown as T;
    const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name } };
    return definition as unknown as T;
  }

  /** Accepts an event, and keeps nothing of it. */
  async createEvent({ metadata }: KubeObject): Promise<void> {
    await this.#clock.sleep(1, new AbortController().signal);
    if (this.forbidsStatus && metadata.namespace !== undefined)
      throw new KubeError(
        { call: "create events", code: 403, reason: "Forbidden" },
        "the namespace is being terminated",
      );
  }

  async patch<T extends KubeObject>(
    resource: ResourceKind,
    inNamespace: string | undefined,
    name: string,
    body: object,
    { subresource, dryRun = false }: PatchOptions,
  ): Promise<T> {
    await this.#clock.sleep(1, new AbortController().signal);
    if (resource.plural === "secrets") return this.#patchSecret(name, body, dryRun) as unknown as T;
    const call = `patch ${resource.plural}`;
    const before = this.#objects.get(`${resource.kind} ${inNamespace ?? ""}/${name}`);
    if (before === undefined) throw new KubeError({ call, code: 404, reason: "NotFound" }, "not found");
    if (this.forbidsStatus && subresource === "status")
      throw new KubeError({ call: `${call}/status`, code: 403, reason: "Forbidden" }, "forbidden");
    const refusal = this.refuses({ kind: resource.kind, name, subresource });
    if (refusal !== undefined) throw refusal;
    const preconditions = (body as { metadata?: { uid?: string; resourceVersion?: string } }).metadata;
    // The status of a Tenant has one writer, so that its patch needs no version.
    const anyVersion = inNamespace === undefined && subresource === "status";
    if (
      preconditions?.uid !== before.metadata.uid ||
      (!anyVersion && preconditions?.resourceVersion !== before.metadata.resourceVersion)
    )
      throw new KubeError({ call, code: 409, reason: "Conflict" }, "the object has been modified");
    const merged = mergePatch(before, body) as Stored;
    const { status, ...main } = merged;
    this.writes += 1;
    const after =
      subresource === "status"
        ? { ...before, status: this.#withoutDropped(status ?? {}) }
        : { ...main, ...(before.status === undefined ? {} : { status: before.status }) };
    return this.#store(before, after) as unknown as T;
  }

  #withoutDropped(status: object): object {
    return Object.fromEntries(Object.entries(status).filter(([field]) => !this.droppedFields.has(field)));
  }

  #store(before: Stored | undefined, wanted: Stored): Stored {
    const specChanged = before !== undefined && !isDeepStrictEqual(before.spec, wanted.spec);
    const text = JSON.stringify({
      ...wanted,
      metadata: {
        ...wanted.metadata,
        resourceVersion: String(++this.#version),
        generation: (wanted.metadata.generation ?? 1) + (specChanged ? 1 : 0),
      },
    });
    // Over HTTP, too, everybody has a copy of their own.
    const after: Stored = JSON.parse(text);
    const key = `${after.kind} ${after.metadata.namespace ?? ""}/${after.metadata.name}`;
    const isHeld = after.kind === "Namespace" && this.#objectsIn(after.metadata.name).length > 0;
    const hasFinalizer = (after.metadata.finalizers ?? []).length > 0;
    const isRemoved = after.metadata.deletionTimestamp !== undefined && !hasFinalizer && !isHeld;
    if (isRemoved) this.#objects.delete(key);
    else this.#objects.set(key, after);
    const type = isRemoved ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
    this.#clock.setTimer(() => {
      for (const watcher of this.#watchers) watcher({ type, object: JSON.parse(text) });
    }, watchLagMs);
    const left = isRemoved ? this.findCluster("Namespace", after.metadata.namespace ?? "") : undefined;
    if (left?.metadata.deletionTimestamp !== undefined) this.#store(left, left);
    return JSON.parse(text);
  }
}
