import type { Status } from "#src/api/status.ts";
import { kinds as kindsOfMuster } from "#src/kinds/kinds.ts";
import { KubeError } from "#src/kube/errors.ts";
import { missedSteps, violations } from "./invariants.ts";
import type { ClusterManifest, Manifest } from "./memory-kube.ts";
import { grantOf, root } from "./memory-platform.ts";
import { type Fault, type Run, Scenario } from "./scenario.ts";

/** The groups of two teams, and one that the Tenants of both permit. */
export const red = `${root}/00000000000000a1`;
export const blue = `${root}/00000000000000a2`;
export const shared = `${root}/00000000000000a3`;
/** Identities that the blue Tenant can use as its credential. */
export const blueIdentity = `${blue}/00000000000000b1`;
export const otherBlueIdentity = `${blue}/00000000000000b2`;

/** Not the issuer of the cluster, whose subjects need a prefix. */
export const issuer = "https://ci.example";

/** An account that the Tenants permit. */
export const awsAccount = "123456789012";

const allKinds = kindsOfMuster.map(({ name }) => name);

export interface TenantOptions {
  readonly groups?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly identityUid?: string | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly adopt?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
  readonly awsAccounts?: readonly string[] | undefined;
  readonly breakGlass?: readonly string[] | undefined;
  readonly allowOrphan?: boolean | undefined;
  readonly undeclared?: "Report" | "Remove" | undefined;
  /** Another class than "" is that of an operator that does not run here. */
  readonly class?: string | undefined;
}

/**
 * A cluster with two Tenants, which select namespaces by a label: `red`, with the operator's identity, and `blue`, with an
 * identity of its own. The namespace `team` is red at first, and `other` is blue.
 */
export class TwoTenants {
  readonly scenario: Scenario;
  #callsUntilRest: number | undefined;

  constructor(fault: Fault = {}) {
    // The first process starts before there is any Tenant, as after an installation.
    this.scenario = new Scenario(fault, undefined, undefined, { liveTenants: true });
    const { platform } = this.scenario;
    for (const [uid, name] of [
      [red, "red"],
      [blue, "blue"],
      [shared, "shared"],
    ] as const)
      platform.setInitial("groups", { uid, name, description: "" });
    let count = 0xc0;
    for (const uid of [blueIdentity, otherBlueIdentity]) {
      platform.setInitial("identities", { uid, name: "credential", description: "" });
      for (const group of [blue, shared])
        platform.setInitial("roleBindings", grantOf(`${group}/00000000000000${(count++).toString(16)}`, uid));
    }
    this.assign("team", "red");
    this.assign("other", "blue");
    this.tenant("red");
    this.tenant("blue");
  }

  get run(): Run {
    const { run } = this.scenario;
    return { ...run, calls: this.#callsUntilRest ?? run.calls };
  }

  /** Labels a namespace. */
  assign(name: string, team: string): void {
    this.scenario.kube.applyCluster({ kind: "Namespace", name, labels: { team } });
  }

  /** Applies a Tenant. */
  tenant(name: string, options: TenantOptions = {}): void {
    this.scenario.kube.applyCluster(tenantManifest(name, options));
  }

  statusOf({ kind, name, namespace }: Omit<Manifest, "spec">): Status | undefined {
    return this.scenario.kube.find(kind, name, namespace)?.status as Status | undefined;
  }

  reasonOf(one: Omit<Manifest, "spec">): string | undefined {
    return this.statusOf(one)?.conditions?.find(({ type }) => type === "Ready")?.reason;
  }

  messageOf(one: Omit<Manifest, "spec">): string | undefined {
    return this.statusOf(one)?.conditions?.find(({ type }) => type === "Ready")?.message;
  }

  /** The writes to the platform after the first `count`, as `update roles`. */
  writesAfter(count: number): readonly string[] {
    return this.scenario.platform.applied.slice(count).map((write) => `${write.do} ${write.collection}`);
  }

  async apply(manifests: readonly Manifest[], gapMs = 0): Promise<void> {
    for (const manifest of manifests) {
      this.scenario.kube.apply(manifest);
      if (gapMs > 0) await this.scenario.pass(gapMs);
    }
  }

  /** Waits until all have this reason. */
  async until(reason: string, manifests: readonly Omit<Manifest, "spec">[]): Promise<void> {
    await this.scenario.until(`${reason}: ${manifests.map(({ name }) => name).join()}`, () =>
      manifests.every((one) => this.reasonOf(one) === reason),
    );
  }

  /** Deletes the objects, and waits until they are gone. */
  async remove(manifests: readonly Omit<Manifest, "spec">[]): Promise<void> {
    for (const one of manifests) this.scenario.kube.remove(one);
    await this.scenario.until("deleted", () =>
      manifests.every(({ kind, name, namespace }) => this.scenario.kube.find(kind, name, namespace) === undefined),
    );
  }

  /** What is wrong now. @param handMade the uids of resources that somebody else created */
  violations(handMade: readonly string[] = []): string[] {
    return violations(this.scenario.kube, this.scenario.platform, { handMade });
  }

  /**
   * Late requests take effect, and a resync sees them; then the invariants hold, and nothing is written any more.
   * @throws {Error} that names the violation
   */
  async rest(handMade: readonly string[] = []): Promise<void> {
    const { scenario } = this;
    this.#callsUntilRest ??= scenario.calls;
    await this.#settle();
    const found = [...this.violations(handMade), ...missedSteps(scenario.process.sources)];
    if (found.length > 0) throw new Error(`${found.join("\n")}\n${scenario.describe()}`);
    let [before, process] = [this.#picture(), scenario.process];
    for (let count = 0; count < 2; count += 1) {
      scenario.process.reconcileAll();
      await scenario.resync();
      await scenario.pass(600_000);
      // A process that died just now, and its successor, may have had something to write.
      if (scenario.process === process && !process.dead) continue;
      await this.#settle();
      [before, process] = [this.#picture(), scenario.process];
    }
    const after = this.#picture();
    const written = [...after]
      .filter(([text, version]) => before.get(text) !== version)
      .map(([text, version]) => `${text}: ${before.get(text)} → ${version}`);
    if (written.length > 0) throw new Error(`C: written at rest: ${written.join()}\n${scenario.describe()}`);
    const failures = scenario.process.failures.filter((failure) => !isExpected(failure));
    if (failures.length > 0) throw new Error(`a reconcile failed: ${failures.join()}`);
  }

  /** Late requests take effect, and a resync sees them. A process that died is replaced. */
  async #settle(): Promise<void> {
    const { scenario } = this;
    for (let count = 0; count < 2; count += 1) {
      await scenario.pass(60_000);
      await scenario.resync();
      await scenario.until("a process", () => true);
    }
    await scenario.pass(60_000);
  }

  /** The versions of all objects, and the number of writes to the platform. */
  #picture(): ReadonlyMap<string, string> {
    const { kube, platform } = this.scenario;
    const all = [...kube.objects(), ...kube.clusterObjects("Tenant")];
    const versions = all.map(
      ({ kind, metadata, status }) =>
        [`${kind} ${metadata.name}`, `${metadata.resourceVersion} ${JSON.stringify(status)}`] as const,
    );
    return new Map([...versions, ["the platform", String(platform.writes)]]);
  }
}

/** A Tenant as in a file: by default, one that permits everything in its group and in the shared one. */
export function tenantManifest(name: string, options: TenantOptions = {}): ClusterManifest {
  const {
    groups = [name === "red" ? red : blue, shared],
    roles = ["viewer"],
    namespaces,
    adopt = allKinds,
    kinds = allKinds,
    awsAccounts = [awsAccount],
    allowOrphan = true,
  } = options;
  const identityUid = options.identityUid ?? (name === "blue" ? blueIdentity : undefined);
  const selector =
    namespaces === undefined ? { namespaceSelector: { matchLabels: { team: name } } } : { namespaces: [...namespaces] };
  return {
    kind: "Tenant",
    name,
    spec: {
      ...selector,
      groups: [...groups],
      roles: [...roles],
      claimIssuers: [{ issuer }],
      awsAccounts: [...awsAccounts],
      adopt: [...adopt],
      kinds: [...kinds],
      undeclared: options.undeclared ?? "Remove",
      allowOrphan,
      ...(options.breakGlass === undefined ? {} : { breakGlass: [...options.breakGlass] }),
      ...(options.class === undefined ? {} : { class: options.class }),
      credentials:
        identityUid === undefined || identityUid === ""
          ? { type: "Operator" }
          : { type: "ServiceAccount", identityUid },
    },
  };
}

/** A write that lost a race against another writer, and a session that ended while a reconcile used it. */
function isExpected(failure: unknown): boolean {
  return (
    (failure instanceof KubeError && failure.code === 409) ||
    (failure instanceof Error && failure.message.startsWith("the credentials or groups of Tenant"))
  );
}
