import type { Kind } from "#src/kinds/kind.ts";
import { type KubeObject, keyOf } from "#src/kube/object.ts";
import type { ReadApi } from "#src/platform-client/api.ts";
import { GovernedApi } from "#src/platform-client/governed-api.ts";
import { OwnerCheck } from "#src/platform-client/owner-check.ts";
import { PostLedger } from "#src/platform-client/post-ledger.ts";
import { PlatformSession } from "#src/platform-client/session.ts";
import { SharedRoles } from "#src/platform-client/shared-roles.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { OperatorCore, type OperatorCoreOptions } from "#src/reconcile/operator-core.ts";
import { newResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { isPlatformStep, isWrite } from "#src/reconcile/policy/step.ts";
import { type OuterBound, outermostGroups } from "#src/reconcile/tenancy/boundary.ts";
import { LiveTenancy } from "#src/reconcile/tenancy/live-tenancy.ts";
import { newTenancyStores } from "#src/reconcile/tenancy/tenancy-stores.ts";
import { type SessionCredential, TenantSessions } from "#src/reconcile/tenancy/tenant-sessions.ts";
import { minutes } from "#src/time/durations.ts";
import type { VirtualClock } from "#src/time/virtual-clock.ts";
import { Agenda } from "./agenda.ts";
import { AssumedSecrets } from "./assumed-secrets.ts";
import type { MemoryCluster } from "./memory-cluster.ts";
import { OverlayPlatform, type PlatformWrite } from "./overlay-platform.ts";
import type { Plan } from "./plan.ts";
import { PlanRecorder } from "./plan-recorder.ts";
import { type Caller, ProvenReads } from "./proven-reads.ts";
import { runToEnd } from "./run-to-end.ts";

export interface PlanOptions
  extends Pick<
    OperatorCoreOptions,
    | "ownerId"
    | "owners"
    | "serviceAccounts"
    | "publicIssuers"
    | "endpoints"
    | "settleMs"
    | "breakerLimits"
    | "confirmationOf"
  > {
  readonly kinds: readonly Kind[];
  /** With the change that is planned. The operator's writes change it. */
  readonly cluster: MemoryCluster;
  /** The clock of `cluster`. Its time passes at once. */
  readonly clock: VirtualClock;
  readonly reads: ReadApi;
  readonly caller: Caller;
  /** The uid of the operator's identity. */
  readonly identity: string;
  /** The owner that the operator's identity must record. */
  readonly owner: string;
  readonly outer: OuterBound;
  /** The class of the Tenants that the operator serves. */
  readonly class: string;
  /** The objects that the plan is about, as `Kind namespace/name`; undefined: all. */
  readonly subjects: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
}

/** A plan, and the writes to the platform that it is made of, in their order. */
export interface MadePlan extends Plan {
  readonly writes: readonly PlatformWrite[];
}

/**
 * Waits that end within this time are waited for: the settle time, the first retries, what is reported only if it lasts. Later
 * ones are for people, or repeat what was seen to fail.
 */
const horizonMs = minutes(2);
/** Retries are neither at once nor late. */
const random = () => 0.5;
/** What nobody declared is removed when several resyncs have seen it. */
const resyncs = 3;
/** A reconcile of one object ends within 24 steps, and wakes others; more reconciles of one object than this do not end. */
const maxReconcilesPerObject = 200;

/**
 * What the operator would do: its own `observe`, `decide` and `perform`, let loose on a copy of the cluster and an overlay of
 * the platform, until nothing is left but to wait for people.
 *
 * **Guarantees.** Of the platform, only `list` and `get` are called. The same input gives the same plan.
 *
 * **Errors.** Rejects with the failure of a read of the platform, unless it was refused; and if the plan does not end.
 */
export async function makePlan(options: PlanOptions): Promise<MadePlan> {
  const { kinds, cluster, clock, reads, caller, signal } = options;
  const collections = kinds.map(({ collection }) => collection);
  const proven = new ProvenReads({ reads, caller, collections, roots: outermostGroups(options.outer.roots), signal });
  const overlay = new OverlayPlatform({ reads: proven, collections, now: () => clock.now() });
  const stores = newResourceStores(kinds);
  const { tenants, namespaces } = newTenancyStores();
  const storeOf = (kind: string) =>
    kind === "Tenant"
      ? tenants
      : kind === "Namespace"
        ? namespaces
        : kinds.some(({ name }) => name === kind)
          ? stores.get(kind)
          : undefined;
  for (const kind of ["Namespace", "Tenant", ...kinds.map(({ name }) => name)]) {
    const store = storeOf(kind);
    store?.addScope(undefined);
    const list = { namespace: undefined, resourceVersion: cluster.version, versionAtStart: "0" };
    store?.replace({ ...list, objects: cluster.ofKind(kind) });
  }
  cluster.takeEvents();
  const tenancy = new LiveTenancy({
    tenants,
    namespaces,
    sessions: openSessions(options, overlay),
    outer: options.outer,
    class: options.class,
    settledAt: clock.monotonic(),
  });
  const agenda = new Agenda(kinds, clock);
  const isOperator = typeof caller === "object" && caller.identity === options.identity;
  const recorder = new PlanRecorder({ kinds, cluster, subjects: options.subjects, isOperator });
  const writes: PlatformWrite[] = [];
  const core = new OperatorCore({
    ...options,
    stores,
    tenancy,
    kube: cluster,
    secrets: new AssumedSecrets(function* () {
      for (const kind of kinds)
        for (const { resource, invalid } of stores.get(kind.name).values())
          if (invalid === undefined) yield [kind, resource];
    }),
    newBreakerId: () => "planned",
    soleLeaderSince: clock.monotonic(),
    recorder: { record: () => undefined, write: () => Promise.resolve() },
    random,
    enqueue: (kind, key) => agenda.add(kind, key),
    telemetry: {
      performed: (observed, step) => {
        if (!isPlatformStep(step) || !isWrite(step.do)) return;
        const written = overlay.takeWrites();
        writes.push(...written);
        recorder.wrote(observed, step, written);
      },
      decided: () => undefined,
      failed: () => undefined,
      refused: () => undefined,
    },
  });
  const fail = () => Promise.reject(proven.failure);
  for (const [kind, store] of stores.entries()) for (const key of store.keys()) agenda.add(kind, key);

  const reconcileAll = async () => {
    const end = clock.monotonic() + horizonMs;
    const limit = maxReconcilesPerObject * (agenda.size + 1);
    for (let count = 0; ; ) {
      const next = agenda.next(end);
      if (next === undefined) return;
      if (next.dueAt > clock.monotonic()) await clock.advance(next.dueAt - clock.monotonic());
      for (const { kind, key } of next.items) {
        if ((count += 1) > limit)
          throw new Error(`the plan does not end: ${kind} ${key} is reconciled again and again`);
        const result = await runToEnd(
          core.reconciler.reconcile(kindOf(core.sources, kind), key, signal, () => undefined),
          { clock, reads: proven },
        );
        if (proven.failure !== undefined) await fail();
        if (result.type === "failed") throw result.error;
        if (result.type === "requeueAfter") agenda.addAt(kind, key, clock.monotonic() + result.ms);
        for (const event of cluster.takeEvents()) storeOf(event.object.kind)?.apply(event);
      }
    }
  };
  await reconcileAll();
  for (let count = 0; count < resyncs; count += 1) {
    for (const session of tenancy.sessions)
      await runToEnd(core.resync(session, { onListed: () => undefined, onFailure: () => undefined }), {
        clock,
        reads: proven,
      });
    if (proven.failure !== undefined) await fail();
    await reconcileAll();
  }
  return { ...recorder.plan(proven.unproven), writes };
}

function openSessions(options: PlanOptions, overlay: OverlayPlatform): TenantSessions {
  const { kinds, clock, identity, outer, owner, signal, settleMs } = options;
  const api = new GovernedApi(overlay, {
    address: "the platform",
    probedGroup: parentOf(identity) ?? identity,
    clock,
    random,
    signal,
  });
  const ownerCheck = new OwnerCheck({ api, identity, owner, clock, signal });
  const posts = new PostLedger(settleMs);
  const sharedRoles = new SharedRoles();
  const open = (credential: SessionCredential, end: AbortSignal) => {
    const credentialEpoch = () => 1;
    const collections = kinds.map(({ collection }) => collection);
    const session = new PlatformSession({
      ...credential,
      api,
      owner: ownerCheck,
      credentialEpoch,
      collections,
      posts,
      sharedRoles,
      clock,
      signal: end,
      canWrite: () => true,
    });
    return { session, credentialEpoch };
  };
  const credential = { identity, roots: outermostGroups(outer.roots) };
  return new TenantSessions(
    { ...credential, ...open(credential, signal) },
    (_tenant, own, end) => open(own, end),
    signal,
  );
}

function kindOf({ kinds }: Sources, name: string): Kind {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

/** How `PlanOptions.subjects` names an object. */
export function subjectOf(object: KubeObject): string {
  return `${object.kind} ${keyOf(object)}`;
}
