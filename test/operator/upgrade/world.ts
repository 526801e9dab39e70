import { pausedAnnotation, reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { type AnyMusterKind, allMusterKinds } from "#test/support/harness/muster-objects.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { operatorAccount, System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";
import type { Expectation } from "./check.ts";
import { available, type Declared, declareSet, issuer, manifestOf } from "./declarations.ts";
import { keyOf, ObjectWatch } from "./object-watch.ts";
import { type Picture, takePicture } from "./picture.ts";
import { applyChartOf, applyDefinitionsOf, type Release } from "./release.ts";

export const teams = ["red", "blue"] as const;
export type Team = (typeof teams)[number];
export const account = { namespace: "muster-system", name: operatorAccount };
/** Concurrent requests of the load. */
const concurrency = 8;

/** A set of objects that people declared together. */
export interface DeclaredSet {
  readonly team: Team;
  readonly prefix: string;
  readonly members: readonly Declared[];
}

/** The cluster, the platform and what people did, over all turns. */
export class World {
  readonly system: System;
  readonly watch: ObjectWatch;
  readonly declared = new Map<string, Declared>();
  readonly touched = new Set<string>();
  /** How many resources objects may have created and deleted since the last turn, by kind. */
  readonly creations = new Map<string, number>();
  readonly deletions = new Map<string, number>();
  readonly #byHand = new Map<string, PlatformResource>();
  readonly #others = new Set<string>();
  readonly #groups: Readonly<Record<Team, string>>;
  #sets = 0;
  #edits = 0;

  private constructor(system: System, groups: Readonly<Record<Team, string>>, others: Iterable<string>) {
    this.system = system;
    this.#groups = groups;
    this.watch = new ObjectWatch(system.controlPlane.admin);
    for (const key of others) this.#others.add(key);
  }

  /** Starts the platform, which is that of this tree, and prepares the cluster as the charts of `release` do. */
  static async start(controlPlane: ControlPlane, release: Release, platform: Release): Promise<World> {
    const { admin: kube } = controlPlane;
    await applyDefinitionsOf(release, kube);
    const system = await System.start({
      controlPlane,
      namespaces: [...teams],
      program: platform.program.file,
      run: () => ({ env: platform.program.env }),
      tenants: () => [],
      rbac: release.rbac,
    });
    const group = async (name: string) => (await system.admin.create("groups", system.root, { name })).uid;
    const groups = { red: await group("red"), blue: await group("blue") };
    // One Tenant uses the operator's credentials, the other one its own.
    const identityUid = await createTenantCredentials(system, "blue", groups.blue);
    for (const team of teams) {
      const tenant = permissiveTenant(team, {
        namespaces: [team],
        groups: [groups[team]],
        roles: ["viewer", "editor"],
        kinds: allMusterKinds,
        adopt: allMusterKinds,
      });
      const credentials = team === "red" ? { type: "Operator" } : { type: "ServiceAccount", identityUid };
      await kube.apply({ ...tenant, spec: { ...tenant["spec"], undeclared: "Remove", credentials } });
    }
    const { resources } = await takePicture(system, new Map(), []);
    return new World(system, groups, resources.keys());
  }

  get kube(): KubeClient {
    return this.system.controlPlane.admin;
  }

  /** Makes a new set, with what it needs, which the operator does not see. */
  async prepareSet(): Promise<DeclaredSet> {
    const number = this.#sets++;
    const team = number % 2 === 0 ? "red" : "blue";
    const prefix = `set-${number}`;
    const members: Declared[] = [];
    for (const one of declareSet({ namespace: team, group: this.#groups[team], prefix, number: number >> 1 })) {
      for (const object of one.needs) await this.kube.apply(object);
      members.push(one.byHand === undefined ? one : await this.#makeByHand(one, this.#groups[team]));
    }
    return { team, prefix, members };
  }

  /** Declares objects in their order; last those that are not to have a resource: of two equal claims, the older one wins. */
  async declare(members: readonly Declared[]): Promise<void> {
    await this.#declareAll(members.filter(({ hasResource }) => hasResource));
    await this.#declareAll(members.filter(({ hasResource }) => !hasResource));
  }

  async #declareAll(members: readonly Declared[]): Promise<void> {
    await inParallel(members, concurrency, async (one) => {
      const key = keyOf(one.object);
      this.declared.set(key, one);
      this.touched.add(key);
      if (one.adopts !== undefined) this.#others.delete(one.adopts);
      if (one.hasResource && one.byHand === undefined) this.#count(this.creations, one.object.kind);
      await this.kube.apply(manifestOf(one));
    });
  }

  /** Creates an identity in the group of each set by hand, which is then undeclared, and stays. */
  async addStrangers(sets: readonly DeclaredSet[]): Promise<void> {
    for (const { prefix, members } of sets) {
      const group = members.find(({ object }) => object.kind === "Group");
      if (group === undefined || group.object["spec"].undeclared === "Remove") continue;
      const uid: string | undefined = this.watch.objects.get(keyOf(group.object))?.["status"]?.uid;
      if (uid === undefined) throw new Error(`${keyOf(group.object)} has no uid`);
      const name = `${prefix}-stranger`;
      const claimMatch = { issuer, subject: name };
      const made = await this.system.admin.create("identities", uid, { name, claimMatch });
      this.#byHand.set(`identities ${made.uid}`, made);
    }
  }

  /** Changes what can be changed in the spec of an object. */
  async edit({ object }: Declared): Promise<void> {
    this.touched.add(keyOf(object));
    const text = `Edited ${++this.#edits} times`;
    if (object.kind === "GroupInvite") return;
    const spec =
      object.kind === "RoleBinding"
        ? { expiresAt: `2098-01-01T00:00:${String(this.#edits % 60).padStart(2, "0")}Z` }
        : { description: text };
    await this.kube.patch(object, { spec });
  }

  /** Replaces the client secret of an identity provider, and requests that it is sent. */
  async replaceClientSecret({ object }: Declared): Promise<void> {
    this.touched.add(keyOf(object));
    const value = `planted-client-secret-${++this.#edits}`;
    const { name } = object["spec"].clientSecretRef;
    const metadata = { name, namespace: object.metadata.namespace ?? "" };
    await this.kube.patch({ apiVersion: "v1", kind: "Secret", metadata }, { stringData: { clientSecret: value } });
    await this.kube.patch(object, { metadata: { annotations: { [reconcileRequestedAtAnnotation]: value } } });
  }

  /** Pauses an object that is Ready, or lets a paused one go on, which then becomes Ready. */
  async setPaused(one: Declared, isPaused: boolean): Promise<void> {
    const key = keyOf(one.object);
    this.touched.add(key);
    if (!isPaused && !one.hasResource) this.#count(this.creations, one.object.kind);
    this.declared.set(key, { ...one, expected: isPaused ? "Paused" : available, hasResource: true });
    await this.kube.patch(one.object, {
      metadata: { annotations: { [pausedAnnotation]: isPaused ? "true" : null } },
    });
  }

  /**
   * Deletes objects: first those without a resource, one of which could take over that of another. What they adopted, and what
   * they leave to others, stays.
   */
  async delete(members: readonly Declared[]): Promise<void> {
    const hasResource = ({ object }: Declared) => this.declared.get(keyOf(object))?.hasResource === true;
    await this.#deleteAll(members.filter((one) => !hasResource(one)));
    await this.#deleteAll(members.filter((one) => hasResource(one)));
  }

  async #deleteAll(members: readonly Declared[]): Promise<void> {
    await inParallel(members, concurrency, async ({ object }) => {
      const key = keyOf(object);
      const one = this.declared.get(key);
      if (one === undefined) return;
      this.declared.delete(key);
      this.touched.add(key);
      const uid: string | undefined = this.watch.objects.get(key)?.["status"]?.uid;
      const isOrphaned = object["spec"].policy?.deletion === "Orphan";
      if (one.adopts !== undefined) this.#others.add(one.adopts);
      else if (isOrphaned) this.#others.add(`${collectionOf[object.kind as AnyMusterKind]} ${uid}`);
      else if (one.hasResource && one.byHand === undefined) this.#count(this.deletions, object.kind);
      await this.kube.delete(object);
      // A paused object goes when it continues. If it continued before its deletion, it could first be created.
      if (one.expected === "Paused") await this.#continueIfPresent(object);
    });
  }

  async #continueIfPresent(object: KubeObject): Promise<void> {
    try {
      await this.kube.patch(object, { metadata: { annotations: { [pausedAnnotation]: null } } });
    } catch (error) {
      // Without the finalizer it is gone already.
      if (!(error instanceof KubeError && error.code === 404)) throw error;
    }
  }

  /** Removes what was made by hand in the groups of sets, so that the groups can be deleted. */
  async removeStrangers(): Promise<void> {
    for (const [key, { name, uid }] of this.#byHand) {
      if (!name.endsWith("-stranger")) continue;
      this.#byHand.delete(key);
      await this.system.admin.delete("identities", uid);
    }
  }

  async picture(): Promise<Picture> {
    return takePicture(this.system, this.watch.objects, teams);
  }

  expectation(before: Picture | undefined): Expectation {
    const { declared, touched } = this;
    return { declared, byHand: this.#byHand, others: this.#others, before, touched };
  }

  /** Applies the permissions and the policies of a release. */
  async install(release: Release, previous: Release): Promise<void> {
    await applyChartOf(release, previous, this.kube, account);
  }

  async stop(): Promise<void> {
    this.watch.stop();
    await this.system.stop();
  }

  async #makeByHand(one: Declared, group: string): Promise<Declared> {
    const { byHand, object } = one;
    if (byHand === undefined) return one;
    const made = await this.system.admin.create(byHand.collection, group, byHand.body);
    const key = `${byHand.collection} ${made.uid}`;
    if (!byHand.isAdopted) {
      this.#byHand.set(key, made);
      return one;
    }
    this.#others.add(key);
    return { ...one, adopts: key, object: object.kind === "Group" ? withUid(object, made.uid) : object };
  }

  #count(counts: Map<string, number>, kind: string): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
}

function withUid(object: KubeObject, uid: string): KubeObject {
  const { parentUid, ...spec } = object["spec"];
  return { ...object, spec: { ...spec, parentUid, uid } };
}
