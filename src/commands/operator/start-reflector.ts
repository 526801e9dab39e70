import type { KubeApi } from "#src/kube/api.ts";
import { isUnreadable } from "#src/kube/errors.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { Reflector, type ReflectorOptions, type ReflectorReport } from "#src/kube/reflector.ts";
import type { StoreWriter } from "#src/kube/store.ts";
import type { Tracer } from "#src/telemetry/tracer.ts";
import type { Clock } from "#src/time/clock.ts";

/** What every reflector of the operator uses. */
export interface ReflectorContext {
  readonly kube: KubeApi;
  readonly tracer?: Tracer | undefined;
  readonly telemetry: { reflector(kind: string, report: ReflectorReport): void };
  readonly clock: Clock;
  readonly random: () => number;
}

/** A store that a reflector can fill. */
export interface FilledStore extends StoreWriter {
  onSynced(listener: () => void): void;
}

/**
 * Starts a reflector, which keeps the store up to date until `signal` aborts: one watch for all namespaces.
 * @returns a promise that resolves once the resource has been listed, or cannot be: a permission or the
 * CustomResourceDefinition is missing. The reflector keeps trying, and the store is synced as soon as it succeeds.
 */
export function startReflector(
  { kube, telemetry, tracer, clock, random }: ReflectorContext,
  resource: ResourceKind,
  store: FilledStore,
  signal: AbortSignal,
  accepts?: ReflectorOptions["accepts"],
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  store.onSynced(resolve);
  const reflector = new Reflector({
    api: kube,
    resource,
    ...(accepts === undefined ? {} : { accepts }),
    store: tracer === undefined ? store : tracedWrites(store, resource.plural, tracer),
    clock,
    random,
    report: (report) => {
      telemetry.reflector(resource.kind, report);
      if (report.type === "failed" && isUnreadable(report.error)) resolve();
    },
  });
  void reflector.run(signal);
  return promise;
}

/** Each event that causes something begins a trace. What a list brings does not: that is everything at once. */
function tracedWrites(store: StoreWriter, plural: string, tracer: Tracer): StoreWriter {
  return {
    addScope: (namespace) => store.addScope(namespace),
    startList: (namespace) => store.startList(namespace),
    apply: (event) =>
      tracer.span(`watch ${plural}`, { parent: null, attributes: { "muster.event": event.type }, ifUsed: true }, () =>
        store.apply(event),
      ),
  };
}
