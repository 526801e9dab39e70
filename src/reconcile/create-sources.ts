import { PerKind } from "#src/kinds/per-kind.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { Breakers } from "./observe/breakers.ts";
import { CrdReads } from "./observe/crd-reads.ts";
import { type CodeStore, IssuedCodes } from "./observe/issued-codes.ts";
import { ReconcileStates } from "./observe/reconcile-states.ts";
import { SecretReads, type SecretSource } from "./observe/secret-reads.ts";
import type { Sources } from "./observe/sources.ts";
import { UndeclaredAccess, type UndeclaredAccessOptions } from "./undeclared/undeclared-access.ts";

/** What a reconciler begins with, and how it gets the rest. */
export interface SourcesOptions
  extends Omit<Sources, "states" | "crds" | "secrets" | "codes" | "breakers" | "undeclared">,
    Pick<UndeclaredAccessOptions, "breakerLimits" | "confirmationOf"> {
  /** The CustomResourceDefinitions are read from it, and the Secrets, which codes are written into. */
  readonly kube: Pick<KubeApi, "get" | "patch">;
  /** Absent: the Secrets are those of `kube`. */
  readonly secrets?: SecretSource & CodeStore;
  /** Returns an id that a person repeats to confirm what a breaker holds. */
  readonly newBreakerId: () => string;
  /** Ends the reads that the sources make. */
  readonly signal: AbortSignal;
}

/** Everything that a reconcile observes, as at the start of a process: nothing is remembered. */
export function createSources(options: SourcesOptions): {
  readonly sources: Sources;
  readonly undeclared: UndeclaredAccess;
} {
  const { kube, secrets: assumed, newBreakerId, signal, breakerLimits, confirmationOf, ...given } = options;
  const reads = new SecretReads(kube, given.clock);
  const undeclared = new UndeclaredAccess({ sources: given, breakerLimits, confirmationOf });
  const sources: Sources = {
    ...given,
    states: new PerKind(given.kinds, () => new ReconcileStates()),
    secrets: assumed ?? reads,
    codes: assumed ?? new IssuedCodes(kube, reads),
    crds: new CrdReads(kube, given.clock, signal),
    breakers: new Breakers(newBreakerId),
    undeclared,
  };
  return { sources, undeclared };
}
