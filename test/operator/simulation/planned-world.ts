import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import { apiVersion, finalizer } from "#src/api/custom-resource.ts";
import { carriedMarker, ownerHash, withoutMarker } from "#src/kinds/marker.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { type MadePlan, makePlan } from "#src/plan/make-plan.ts";
import { MemoryCluster } from "#src/plan/memory-cluster.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import type { Plan } from "#src/plan/plan.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { systemClock } from "#src/time/clock.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import { MemoryCredential } from "./memory-credential.ts";
import type { ClusterManifest, Manifest } from "./memory-kube.ts";
import { allowedRoles, operatorIdentity, root } from "./memory-platform.ts";
import { settleMs } from "./operator-process.ts";
import type { Fault } from "./scenario.ts";
import { TwoTenants } from "./two-tenants.ts";

/** What a person is about to do. */
export interface Change {
  readonly apply?: readonly Manifest[];
  readonly remove?: readonly Pick<Manifest, "kind" | "name" | "namespace">[];
  /** Tenants and namespaces. */
  readonly applyCluster?: readonly ClusterManifest[];
  readonly removeCluster?: readonly Pick<ClusterManifest, "kind" | "name">[];
}

const collections = kinds.map(({ collection }) => collection);
/** Responds at once: a plan is not to wait for the clock of the scenario. */
const instant = { ...systemClock, sleep: async () => undefined };

/** A world of two Tenants in which a change is planned, and then made. */
export class PlannedWorld extends TwoTenants {
  constructor(fault: Fault = {}) {
    super(fault);
    this.scenario.platform.setInitial("identities", {
      uid: operatorIdentity,
      name: "muster",
      description: withRecordedOwner("", "cluster"),
    });
  }

  /** The calls of the last plan that are not reads. */
  readonly forbidden: string[] = [];

  /** @param admitsFinalizer whether what the plan creates has our finalizer from the start, as with the admission policy */
  async plan(change: Change, caller: string = operatorIdentity, admitsFinalizer = false): Promise<MadePlan> {
    const { apply = [], applyCluster = [], remove = [], removeCluster = [] } = change;
    const { kube, platform, clock: now } = this.scenario;
    const clock = new VirtualClock(now.now());
    const objects = [...kube.objects(), ...kube.clusterObjects("Tenant"), ...kube.clusterObjects("Namespace")];
    const cluster = new MemoryCluster(structuredClone(objects), clock);
    const subjects = new Set<string>();
    for (const { kind, name, labels = {}, spec = {} } of applyCluster) {
      const before = cluster.find(kind, name);
      cluster.put({
        ...(before ?? { apiVersion: kind === "Tenant" ? apiVersion : "v1", kind }),
        metadata: { ...(before?.metadata ?? { name }), labels },
        spec,
      });
    }
    for (const { kind, name, namespace = "team", annotations, spec } of apply) {
      const given = annotations === undefined ? {} : { annotations };
      const finalizers = admitsFinalizer ? { finalizers: [finalizer] } : {};
      const metadata = { name, namespace, ...given, ...finalizers };
      const object: KubeObject & { spec: object } = { apiVersion, kind, metadata, spec };
      const before = cluster.find(kind, keyOf(object));
      cluster.put(before === undefined ? object : { ...before, metadata: { ...before.metadata, ...given }, spec });
      subjects.add(`${kind} ${keyOf(object)}`);
    }
    for (const { kind, name, namespace = "team" } of remove) {
      cluster.remove(kind, `${namespace}/${name}`);
      subjects.add(`${kind} ${namespace}/${name}`);
    }
    for (const { kind, name } of removeCluster) cluster.remove(kind, name);
    return makePlan({
      kinds,
      cluster,
      clock,
      reads: this.#readOnly(new MemoryCredential(platform.copy(instant, collections), caller)),
      caller: { identity: caller },
      identity: operatorIdentity,
      owner: "cluster",
      outer: { roots: [root], roles: allowedRoles, namespaces: null },
      class: "",
      subjects,
      ownerId: "cluster",
      owners: [ownerHash("cluster")],
      serviceAccounts: { issuer: "https://issuer.example", audience: "auth.example" },
      publicIssuers: [],
      endpoints: {
        authUrl: "https://auth.example",
        platformUrl: "https://api.example",
        defaultAudience: "auth.example",
      },
      settleMs,
      breakerLimits: { objects: 20, share: 0.1 },
      confirmationOf: () => undefined,
      signal: new AbortController().signal,
    });
  }

  /**
   * Makes the change, and lets an operator that has just started work until only people could change more: one that runs would
   * first act on what it saw before others changed the platform. @param resyncs how often it lists everything again
   * @returns what it wrote
   */
  async act(change: Change, resyncs = 3): Promise<readonly PlatformWrite[]> {
    const { apply = [], applyCluster = [], remove = [], removeCluster = [] } = change;
    const { kube, platform } = this.scenario;
    const start = platform.applied.length;
    for (const manifest of applyCluster) kube.applyCluster(manifest);
    for (const manifest of apply) kube.apply(manifest);
    for (const object of remove) kube.remove(object);
    for (const object of removeCluster) kube.removeCluster(object);
    this.scenario.handOver();
    await this.quiet(resyncs);
    return platform.applied.slice(start);
  }

  async quiet(resyncs = 3): Promise<void> {
    await this.scenario.pass(120_000);
    for (let count = 0; count < resyncs; count += 1) {
      await this.scenario.resync();
      await this.scenario.pass(120_000);
    }
  }

  #readOnly(api: ReadApi): ReadApi {
    return new Proxy(api, {
      get: (target, name) => {
        if (name !== "list" && name !== "get") this.forbidden.push(String(name));
        const method = Reflect.get(target, name) as (...parameters: unknown[]) => unknown;
        return (...parameters: unknown[]) => method.apply(target, parameters);
      },
    });
  }
}

/** The writes of a plan, without regard to their order and to the uids of what is created. */
export function plannedWrites({ changes }: Plan): readonly string[] {
  const names = new Names();
  return changes
    .filter(({ action, fields }) => action === "delete" || fields.length > 0)
    .map(({ action, resource, fields }) => {
      const what = action === "delete" ? "delete" : action === "create" || action === "recreate" ? "create" : "update";
      const values = fields.map(({ field, to }) => [field, names.replace(to)]);
      return names.line(what, resource.noun, resource.uid, what === "create", values);
    })
    .toSorted();
}

/** The writes of the operator, in the form of `plannedWrites`. */
export function madeWrites(writes: readonly PlatformWrite[]): readonly string[] {
  const names = new Names();
  return writes
    .flatMap((write) => {
      const noun = kinds.find(({ collection }) => collection.name === write.collection)?.noun ?? "";
      const values = write.do === "delete" ? [] : changedFields(write).map(([field, to]) => [field, names.replace(to)]);
      if (write.do === "update" && values.length === 0) return [];
      return [names.line(write.do, noun, write.uid, write.do === "create", values)];
    })
    .toSorted();
}

function changedFields({ before, after, fields }: PlatformWrite): (readonly [string, unknown])[] {
  // The platform returns a lifetime as the time at which it ends.
  const returned = fields.map((field) => (field === "ttl" ? "expirationTime" : field));
  const values = returned.flatMap((field) => {
    const [from, to] = [shown(before, field), shown(after, field)];
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [[field, to] as const];
  });
  const [from = null, to = null] = [before, after].map((one) => one && carriedMarker(one));
  return before === undefined || from === to ? values : [...values, ["marker", to] as const];
}

function shown(resource: ExternalResource | undefined, field: string): unknown {
  if (resource === undefined) return null;
  const fields = resource as unknown as Readonly<Record<string, unknown>>;
  if (field === "description") return withoutMarker(resource.description ?? "") || null;
  // Requests take a millisecond here, by which the end of a lifetime is later than it was planned.
  if (field === "expirationTime") return `${String(fields[field]).slice(0, -".000Z".length)}.000Z`;
  const reference = fields[field.replace(/Uid$/, "")] as { readonly uid?: string } | undefined;
  return (field.endsWith("Uid") ? reference?.uid : fields[field]) ?? null;
}

/**
 * The writes that come before one that they depend on, of the plan or of the operator: what is created comes before everything in it
 * and everything that refers to it, and what is deleted after that. All other writes may be made in any order.
 */
export function outOfOrder(writes: readonly PlatformWrite[]): readonly string[] {
  return writes.flatMap((later, index) =>
    writes.slice(0, index).flatMap((earlier) => {
      const isTooEarly = later.do === "create" && dependsOn(earlier, later);
      const isTooLate = earlier.do === "delete" && dependsOn(later, earlier);
      return isTooEarly || isTooLate ? [`${textOf(earlier)} is before ${textOf(later)}`] : [];
    }),
  );
}

/** Whether the resource of one write is in that of the other, or refers to it. */
function dependsOn(one: PlatformWrite, other: PlatformWrite): boolean {
  if (one.collection === other.collection && one.uid === other.uid) return false;
  const scheme = kinds.find(({ collection }) => collection.name === one.collection)?.collection.uids;
  const group = scheme?.parentOf(one.uid);
  const isIn = other.collection === "groups" && group !== undefined && isWithin(group, other.uid);
  const refers = [one.before, one.after].some((resource) => JSON.stringify(resource ?? {}).includes(`"${other.uid}"`));
  // An account association has the uid of its group, to which others refer.
  return isIn || (refers && ["identities", "roles"].includes(other.collection));
}

function textOf({ collection, do: what, uid }: PlatformWrite): string {
  return `${what} ${collection} ${uid}`;
}

/** Names for uids that were made up. */
class Names {
  readonly #names = new Map<string, string>();

  line(what: string, noun: string, uid: string, isNew: boolean, values: readonly unknown[]): string {
    const isSingleton = kinds.some((kind) => kind.noun === noun && kind.collection.uids.isSingleton);
    const parent = isSingleton ? uid : uid.slice(0, uid.lastIndexOf("/"));
    const text = JSON.stringify(values);
    if (!isNew) return `${what} ${noun} ${this.#replaceUid(uid)} ${text}`;
    const line = `${what} ${noun} in ${this.#replaceUid(parent)} ${text}`;
    // A singleton has the uid of its group, which names the group.
    if (!isSingleton) this.#names.set(uid, `<${line}>`);
    return line;
  }

  replace(value: unknown): unknown {
    return typeof value === "string" ? this.#replaceUid(value) : value;
  }

  #replaceUid(value: string): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const end = value.lastIndexOf("/");
    return end < 0 ? value : `${this.#replaceUid(value.slice(0, end))}${value.slice(end)}`;
  }
}
