import type { KubeStepName } from "./reconcile-state.ts";
import type { Sources } from "./sources.ts";

/** What Kubernetes refuses to do for some objects of one kind in one namespace. */
export interface RefusalCount {
  readonly namespace: string;
  readonly kind: string;
  readonly step: KubeStepName;
  /** The HTTP status of the last refusal. */
  readonly code: number;
  /** The number of objects. */
  readonly objects: number;
  /** What Kubernetes said about one of them, in at most 1,024 characters. */
  readonly message: string;
}

/** The most counts that are returned. */
const limit = 64;

/**
 * Everything that Kubernetes currently refuses to do, the most objects first, at most 64 counts. Where the status is
 * refused, this is the only place that shows it.
 */
export function observeRefusals({ kinds, states }: Sources): readonly RefusalCount[] {
  const counts = new Map<string, { -readonly [K in keyof RefusalCount]: RefusalCount[K] }>();
  for (const { name: kind } of kinds)
    for (const [key, step, { code, message }] of states.get(kind).refusals()) {
      const namespace = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
      const id = `${kind} ${step} ${namespace}`;
      const count = counts.get(id);
      if (count === undefined) counts.set(id, { namespace, kind, step, code, objects: 1, message });
      else count.objects += 1;
    }
  return [...counts.values()].toSorted((a, b) => b.objects - a.objects).slice(0, limit);
}
