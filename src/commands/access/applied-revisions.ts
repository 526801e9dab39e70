import type { KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { listExisting } from "#src/kube/list-all.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import { visibleText } from "#src/commands/output/visible-text.ts";

/** What deploys objects from a repository, and says which revision of it was applied. */
export interface Deployer {
  readonly resource: ResourceKind;
  /** The revision that was applied last; undefined if there is none. */
  readonly revisionOf: (status: DeployerStatus) => unknown;
}

interface DeployerStatus {
  readonly lastAppliedRevision?: unknown;
  readonly sync?: Revisions & { readonly status?: unknown };
  readonly operationState?: { readonly phase?: unknown; readonly syncResult?: Revisions };
}

/** An Application with several sources has several of them. */
interface Revisions {
  readonly revision?: unknown;
  readonly revisions?: unknown;
}

export const argoCdApplications: Deployer = {
  resource: {
    group: "argoproj.io",
    version: "v1alpha1",
    plural: "applications",
    kind: "Application",
  },
  // A sync that failed may have applied a part. The comparison names what should be applied, which it is if it is synced.
  revisionOf: ({ operationState, sync }) =>
    (operationState?.phase === "Succeeded" ? textOf(operationState.syncResult) : undefined) ??
    (sync?.status === "Synced" ? textOf(sync) : undefined),
};

export const fluxKustomizations: Deployer = {
  resource: {
    group: "kustomize.toolkit.fluxcd.io",
    version: "v1",
    plural: "kustomizations",
    kind: "Kustomization",
  },
  revisionOf: ({ lastAppliedRevision }) => lastAppliedRevision,
};

function textOf(revisions: Revisions | undefined): unknown {
  const { revision, revisions: several } = revisions ?? {};
  return Array.isArray(several) && several.length > 0 ? several.join(", ") : revision || undefined;
}

/** More are not read: then the revision of the others is not known. */
const maxDeployers = 5_000;
/** A longer text is not a revision. */
const maxRevisionLength = 500;

/**
 * The revisions that the deployers of the cluster applied last, by namespace/name; undefined for one that applied none. Those that
 * cannot be read, or are not installed, are missing: that is no error, because a declaration is complete without it.
 */
export async function appliedRevisions(
  kube: Pick<KubeApi, "list">,
  { resource, revisionOf }: Deployer,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | undefined>> {
  const found = new Map<string, string | undefined>();
  let count = 0;
  try {
    for await (const { metadata, status } of listExisting<KubeObject & { readonly status?: DeployerStatus | null }>(
      kube,
      resource,
      signal,
    )) {
      const revision = revisionOf(status ?? {});
      const isRevision = typeof revision === "string" && revision !== "" && revision.length <= maxRevisionLength;
      found.set(`${metadata.namespace ?? ""}/${metadata.name}`, isRevision ? visibleText(revision) : undefined);
      if ((count += 1) >= maxDeployers) break;
    }
  } catch (error) {
    if (signal.aborted || !(error instanceof KubeError)) throw error;
  }
  return found;
}
