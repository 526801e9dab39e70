import { apiGroup, finalizer, type KindName, resourceDefinitions, version } from "#src/api/resource.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { KubeObject, ResourceKind } from "#src/kube/object.ts";
import type { World } from "./observe/observe.ts";
import type { Observed } from "./observe/observed.ts";
import type { PlatformStep, Step } from "./policy/step.ts";

type KubeStep = Extract<Step, { do: "addFinalizer" | "removeFinalizer" | "readCrd" | "writeStatus" }>;

/** How Kubernetes addresses each kind. */
export const resourceKinds = Object.fromEntries(
  resourceDefinitions.map(({ kind, plural }) => [kind, { group: apiGroup, version, plural, kind, namespaced: true }]),
) as Readonly<Record<KindName, ResourceKind>>;

export function isPlatformStep(step: Step): step is PlatformStep {
  return ["refreshPermissions", "list", "read", "create", "update", "delete"].includes(step.do);
}

/** Makes one call to the platform; what it answers is in the session's views afterwards. @throws {PlatformFailure} */
export async function performOnPlatform({ session }: World, observed: Observed, step: PlatformStep): Promise<void> {
  const { collection } = observed.kind;
  switch (step.do) {
    case "refreshPermissions":
      return session.refreshPermissions();
    case "list":
      return session.ensureSnapshot(collection, step.parent, step);
    case "read":
      return session.read(collection, step.uid);
    case "create": {
      const key = observed.references.are === "resolved" ? observed.references.naturalKey : "";
      return session.create(collection, step.parent, step.body, key);
    }
    case "update":
      return session.update(collection, step.uid, step.body, step.mask);
    case "delete":
      return session.delete(collection, step.uid);
  }
}

/**
 * Makes one write to Kubernetes, or the one read that is made there; its answer is in the store afterwards. Every write
 * is guarded by the uid and the version that the decision was made from. @throws {KubeError}
 */
export async function performOnKubernetes(
  world: World,
  kube: KubeApi,
  observed: Observed,
  step: KubeStep,
  signal: AbortSignal,
): Promise<void> {
  const { kind, metadata } = observed.resource;
  if (step.do === "readCrd") return world.crds.read(kind);
  const guards = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  const answer =
    step.do === "writeStatus"
      ? await kube.patch(
          resourceKinds[kind],
          metadata.namespace,
          metadata.name,
          { metadata: guards, status: step.patch },
          { signal, subresource: "status" },
        )
      : await kube.patch(
          resourceKinds[kind],
          metadata.namespace,
          metadata.name,
          { metadata: { ...guards, finalizers: finalizersAfter(step, metadata.finalizers ?? []) } },
          { signal },
        );
  world.stores[kind].observeOwnWrite(answer satisfies KubeObject);
}

function finalizersAfter(step: KubeStep, before: readonly string[]): string[] {
  const others = before.filter((one) => one !== finalizer);
  return step.do === "addFinalizer" ? [...others, finalizer] : others;
}
