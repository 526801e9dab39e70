import { setTimeout as sleep } from "node:timers/promises";
import { applyAdmissionPolicy } from "#test/deploy/admission-policy.ts";
import { kustomize } from "#test/deploy/kustomize.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { FaultProxy } from "#test/support/harness/fault-proxy.ts";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { System } from "#test/support/harness/system.ts";
import { createTenantCredentials } from "#test/support/harness/tenant-credentials.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { allMusterKinds, kindRef } from "#test/support/harness/muster-objects.ts";
import { permissiveTenant, tenantRef } from "#test/support/harness/tenants.ts";
import { ConnectionProxy } from "./connection-proxy.ts";
import { OperatorPair } from "./operator-pair.ts";

export const leaseMs = 4_000;
/** A request that is forwarded late must arrive before the operator concludes that it was lost. */
export const maxLateMs = 2_500;
/** How long after it was sent a POST may still take effect. A new leader cannot prove absence before. */
export const settleMs = 3_000;
const flags = [
  "--lease-duration",
  `${leaseMs / 1000}s`,
  "--platform-timeout",
  "2s",
  "--settle-time",
  `${settleMs / 1000}s`,
  "--breaker-objects",
  "1000",
  "--log-level",
  "debug",
];

/** The platform's collections, one for each kind. */
export const managedCollections = Object.values(collectionOf);

export const teams = ["red", "blue"] as const;
export type Team = (typeof teams)[number];
/** The roles that the Tenants let objects bind. */
export const permittedRoles = ["viewer", "editor"];

/** What exists before the work of a round. */
interface Fixed {
  /** The group of each team, and one that both Tenants permit. */
  readonly groups: Readonly<Record<Team | "shared", string>>;
  /** An identity that no object declares. */
  readonly auditor: string;
  /** The identity that the blue Tenant can use as a credential. */
  readonly credential: string;
  readonly roles: ReadonlyMap<string, string>;
}

/** What differs from round to round. */
export interface Settings {
  /** Whether the admission policies of `deploy/` are installed: the one that adds the finalizer, too. */
  readonly policies: boolean;
  /** Whether the Tenants let objects leave what they manage on the platform. */
  readonly allowOrphan: boolean;
  /** How old a list may be from which operators decide. */
  readonly resyncMs: number;
}

/** One round's platform, operators, Tenants and namespaces. The control plane outlives it. */
export class World {
  readonly system: System;
  readonly fixed: Fixed;
  readonly proxy: FaultProxy;
  readonly kubernetes: ConnectionProxy;
  readonly operators: OperatorPair;
  /** The namespaces of the round. */
  readonly namespaces: readonly string[];
  readonly tenants: Readonly<Record<Team, string>>;
  /** The platform's resources that existed before the work, as `COLLECTION UID`. */
  readonly fixedResources: ReadonlySet<string>;
  readonly settings: Settings;
  readonly #port: number;
  /** The namespaces that are deleted and have not been created again. */
  readonly #leaving = new Set<string>();
  /** Whether the blue Tenant uses credentials of its own. */
  #own = false;
  #platform: PlatformProcess | undefined;

  private constructor(
    parts: Pick<
      World,
      "system" | "fixed" | "fixedResources" | "proxy" | "kubernetes" | "namespaces" | "tenants" | "settings"
    >,
    port: number,
  ) {
    this.system = parts.system;
    this.fixed = parts.fixed;
    this.fixedResources = parts.fixedResources;
    this.proxy = parts.proxy;
    this.kubernetes = parts.kubernetes;
    this.namespaces = parts.namespaces;
    this.tenants = parts.tenants;
    this.settings = parts.settings;
    this.#port = port;
    const kubernetesUrl = `https://127.0.0.1:${parts.kubernetes.port}`;
    const resync = ["--resync", `${parts.settings.resyncMs / 1000}s`];
    this.operators = new OperatorPair(this.system, [...flags, ...resync], {
      platformUrl: this.proxy.url,
      kubernetesUrl,
    });
  }

  /** @param name distinguishes the round's namespaces and Tenants from those of others. */
  static async start(controlPlane: ControlPlane, name: string, settings: Settings): Promise<World> {
    const proxy = await FaultProxy.start();
    const kubernetes = await ConnectionProxy.start(Number(new URL(controlPlane.url).port));
    const port = await freePort();
    const namespaces = teams.flatMap((team) => [`${name}-${team}-a`, `${name}-${team}-b`]);
    const tenants = { red: `${name}-red`, blue: `${name}-blue` };
    const system = await System.start({
      controlPlane,
      namespaces,
      tenants: () => [],
      platformPort: port,
      platformFlags: ["--base-url", proxy.url],
      rbac: await loadOperatorRbac(),
    });
    proxy.target = system.platformUrl;
    await removePolicies(controlPlane.admin);
    if (settings.policies) await applyPolicies(controlPlane.admin);
    const fixed = await prepare(system, tenants.blue);
    const fixedResources = new Set<string>();
    for (const collection of managedCollections)
      for (const { uid } of await system.admin.list(collection)) fixedResources.add(`${collection} ${uid}`);
    const parts = { system, fixed, fixedResources, proxy, kubernetes, namespaces, tenants, settings };
    const world = new World(parts, port);
    for (const namespace of namespaces) await world.assign(namespace, world.homeOf(namespace));
    for (const team of teams) await world.applyTenant(team);
    return world;
  }

  get kube(): KubeClient {
    return this.system.controlPlane.admin;
  }

  get platform(): PlatformAdmin {
    return this.system.admin;
  }

  /** Deletes a namespace with everything in it. The round creates it again once it is gone. */
  async deleteNamespace(name: string): Promise<void> {
    if (this.#leaving.has(name)) return;
    this.#leaving.add(name);
    await this.kube.delete({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }

  /** Creates the deleted namespaces again that are gone. @returns whether none is left to be created. */
  async recreateNamespaces(): Promise<boolean> {
    for (const name of this.#leaving) {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      if ((await this.kube.find(namespace)) !== undefined) continue;
      const labels = { "campaign/team": this.tenants[this.homeOf(name)] };
      await this.kube.create({ ...namespace, metadata: { name, labels } });
      this.#leaving.delete(name);
    }
    return this.#leaving.size === 0;
  }

  /** The team of which a namespace is at the start. */
  homeOf(namespace: string): Team {
    return namespace.includes("-red-") ? "red" : "blue";
  }

  /** Moves a namespace to a Tenant. */
  async assign(namespace: string, team: Team): Promise<void> {
    const labels = { "campaign/team": this.tenants[team] };
    await this.kube.patch(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      { metadata: { labels } },
    );
  }

  /** The groups that a Tenant permits when it is not narrowed. */
  groupsOf(team: Team): readonly string[] {
    return [this.fixed.groups[team], this.fixed.groups.shared];
  }

  /** Applies a Tenant. */
  async applyTenant(
    team: Team,
    { groups = this.groupsOf(team), own }: { groups?: readonly string[]; own?: boolean } = {},
  ): Promise<void> {
    if (own !== undefined) this.#own = own;
    const usesOwn = team === "blue" && this.#own;
    const tenant = permissiveTenant(this.tenants[team], {
      namespaces: [],
      groups,
      roles: permittedRoles,
      kinds: allMusterKinds,
      adopt: allMusterKinds,
    });
    const { namespaces: _none, ...spec } = tenant["spec"];
    const namespaceSelector = { matchLabels: { "campaign/team": this.tenants[team] } };
    const credentials = usesOwn
      ? { type: "ServiceAccount", identityUid: this.fixed.credential }
      : { type: "Operator", identityUid: null };
    const { allowOrphan } = this.settings;
    const object = { ...tenant, spec: { ...spec, namespaceSelector, allowOrphan, undeclared: "Remove" } };
    if ((await this.kube.find(object)) === undefined)
      await this.kube.create({
        ...object,
        spec: { ...object.spec, ...(usesOwn ? { credentials } : {}) },
      });
    else await this.kube.patch(object, { spec: { ...object.spec, credentials } });
  }

  /** Which team's Tenant selects each namespace. */
  async assignments(): Promise<ReadonlyMap<string, Team>> {
    const namespaces = await this.kube.list({ apiVersion: "v1", kind: "Namespace" });
    return new Map(
      namespaces.flatMap(({ metadata: { name, labels } }) => {
        const team = teams.find((one) => this.tenants[one] === labels?.["campaign/team"]);
        return team === undefined ? [] : [[name, team] as const];
      }),
    );
  }

  /** Sends SIGKILL to the API server, and starts it again after `downMs`. It serves custom resources a moment after it is ready. */
  async restartApiServer(downMs: number): Promise<void> {
    await this.system.controlPlane.restartApiServer(downMs);
    const deadline = performance.now() + 60_000;
    for (;;) {
      try {
        await this.objects();
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(100);
      }
    }
  }

  /** Sends SIGKILL to the platform, and starts it again on its data after `downMs`. */
  async restartPlatform(downMs: number): Promise<void> {
    const { platformDataFile, adminTokenFile, controlPlane, platformPid } = this.system;
    if (this.#platform === undefined) process.kill(platformPid, "SIGKILL");
    else await this.#platform.kill();
    await sleep(downMs);
    const trusted = `${controlPlane.url},ca=${controlPlane.caFile}`;
    this.#platform = new PlatformProcess(
      [
        "--data",
        platformDataFile,
        "--admin-token-file",
        adminTokenFile,
        "--trusted-issuer",
        trusted,
        "--base-url",
        this.proxy.url,
      ],
      { port: this.#port },
    );
    await this.#platform.listening();
  }

  /** Every object of the round. */
  async objects(): Promise<KubeObject[]> {
    const lists = await Promise.all(allMusterKinds.map((kind) => this.kube.list(kindRef(kind))));
    return lists.flat().filter(({ metadata }) => this.namespaces.includes(metadata.namespace ?? ""));
  }

  /** Every Secret of the round. */
  async secrets(): Promise<KubeObject[]> {
    const secrets = await this.kube.list({ apiVersion: "v1", kind: "Secret" });
    return secrets.filter(({ metadata }) => this.namespaces.includes(metadata.namespace ?? ""));
  }

  async stop(): Promise<void> {
    await this.operators.stop();
    await this.#platform?.kill();
    await this.system.stop();
    await this.proxy.stop();
    await this.kubernetes.stop();
    await this.#release();
  }

  /** Removes what a round that failed left in Kubernetes, so that it does not disturb the next one. */
  async #release(): Promise<void> {
    for (const object of await this.objects()) {
      await this.kube.delete(object);
      await this.kube.patch(object, { metadata: { finalizers: null } }).catch(() => undefined);
    }
    for (const { metadata } of await this.kube.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant" })) {
      await this.kube.delete(tenantRef(metadata.name));
      await this.kube.patch(tenantRef(metadata.name), { metadata: { finalizers: null } }).catch(() => undefined);
    }
    for (const name of this.namespaces)
      await this.kube.delete({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
}

const policyKinds = [
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "MutatingAdmissionPolicy",
];

async function applyPolicies(kube: KubeClient): Promise<void> {
  for (const object of await kustomize("base")) if (policyKinds.includes(object.kind)) await kube.apply(object);
  await applyAdmissionPolicy(kube);
}

/** Those of an earlier round. */
async function removePolicies(kube: KubeClient): Promise<void> {
  const objects = [...(await kustomize("base")), ...(await kustomize("components/admission-policy"))];
  for (const kind of policyKinds) for (const object of objects) if (object.kind === kind) await kube.delete(object);
}

async function prepare(system: System, tenant: string): Promise<Fixed> {
  const { admin, root } = system;
  const group = async (name: string) => (await admin.create("groups", root, { name })).uid;
  const groups = { red: await group("red"), blue: await group("blue"), shared: await group("shared") };
  const claimMatch = { issuer: "https://issuer.example", subject: "auditor" };
  const auditor = await admin.create("identities", groups.shared, { name: "auditor", claimMatch });
  const credential = await createTenantCredentials(system, tenant, groups.blue);
  const roles = new Map((await admin.list("roles")).map(({ name, uid }) => [name, uid]));
  await admin.create("roleBindings", groups.shared, { identityUid: credential, roleUid: roles.get("owner") });
  return { groups, auditor: auditor.uid, credential, roles };
}
