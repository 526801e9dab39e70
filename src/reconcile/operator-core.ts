import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { Breakers } from "./observe/breakers.ts";
import { CrdReads } from "./observe/crd-reads.ts";
import { type CodeStore, IssuedCodes } from "./observe/issued-codes.ts";
import { ReconcileStates } from "./observe/reconcile-states.ts";
import { SecretReads, type SecretSource } from "./observe/secret-reads.ts";
import { retainExtensions } from "./observe/session-extensions.ts";
import type { Sources } from "./observe/sources.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";
import { resyncOnce, type ResyncReport } from "./resync.ts";
import { UndeclaredAccess, type UndeclaredAccessOptions } from "./undeclared/undeclared-access.ts";
import { connectWatchHandlers } from "./watch-handlers.ts";

/** What distinguishes one operator from another: `muster operator`, a plan, a simulation. */
export interface OperatorCoreOptions
  extends Omit<Sources, "states" | "crds" | "secrets" | "codes" | "breakers" | "undeclared">,
    Pick<UndeclaredAccessOptions, "breakerLimits" | "confirmationOf">,
    Omit<ReconcilerOptions, "sources" | "kube"> {
  /** The CustomResourceDefinitions are read from it, and the Secrets, which codes are written into. Objects are patched in it. */
  readonly kube: Pick<KubeApi, "get" | "patch">;
  /** Absent: the Secrets are those of `kube`. */
  readonly secrets?: SecretSource & CodeStore;
  /** Returns an id that a person repeats to confirm what a breaker holds. */
  readonly newBreakerId: () => string;
  /** Ends the reads that the sources make. */
  readonly signal: AbortSignal;
}

/**
 * The operator without what runs it: everything that a reconcile observes, the reconciler, what wakes objects, and the resync
 * with what it finds undeclared. As at the start of a process, it remembers nothing.
 *
 * **Assumptions.** The caller fills the stores, opens the sessions, and reconciles what `enqueue` gets, each key once at a time.
 * `enqueue` is called after the constructor has returned, never before.
 */
export class OperatorCore {
  readonly sources: Sources;
  readonly undeclared: UndeclaredAccess;
  readonly reconciler: Reconciler;
  readonly #enqueue: OperatorCoreOptions["enqueue"];

  constructor(options: OperatorCoreOptions) {
    const { kube, secrets: assumed, newBreakerId, signal, breakerLimits, confirmationOf, ...others } = options;
    const { recorder, random, telemetry, tracer, enqueue, ...given } = others;
    const reads = new SecretReads(kube, given.clock);
    this.undeclared = new UndeclaredAccess({ sources: given, breakerLimits, confirmationOf });
    this.sources = {
      ...given,
      states: new PerKind(given.kinds, () => new ReconcileStates()),
      secrets: assumed ?? reads,
      codes: assumed ?? new IssuedCodes(kube, reads),
      crds: new CrdReads(kube, given.clock, signal),
      breakers: new Breakers(newBreakerId),
      undeclared: this.undeclared,
    };
    this.reconciler = new Reconciler({ sources: this.sources, kube, recorder, random, telemetry, tracer, enqueue });
    this.#enqueue = enqueue;
    connectWatchHandlers(this.sources, breakerLimits, enqueue);
  }

  /**
   * One resync of a session: lists the platform, and then enqueues the Groups whose findings of what is undeclared changed.
   * @returns whether every list succeeded.
   */
  async resync(session: PlatformSession, report: ResyncReport): Promise<boolean> {
    retainExtensions(this.sources, session);
    await this.undeclared.prepare(session);
    const { kinds, tenancy, clock } = this.sources;
    if (!(await resyncOnce({ kinds, tenancy, clock, session, ...report }))) return false;
    for (const key of await this.undeclared.assess(session)) this.#enqueue("Group", key, { priority: "low" });
    return true;
  }
}
