import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";

/**
 * The standard health service. The platform (`""`) and each service are SERVING until the platform stops. Watchers are
 * notified at once.
 * @param services their full names
 * @param stopping aborted when the platform stops accepting calls
 */
export function mountHealth(router: ConnectRouter, services: readonly string[], stopping: AbortSignal): void {
  const known = new Set(["", ...services]);
  const status = () => (stopping.aborted ? Status.NOT_SERVING : Status.SERVING);
  router.service(Health, {
    check: ({ service }) => {
      if (!known.has(service)) throw new ConnectError(`unknown service "${service}"`, Code.NotFound);
      return { status: status() };
    },
    list: () => ({ statuses: Object.fromEntries([...known].map((name) => [name, { status: status() }])) }),
    // A watch ends when the platform stops, because an open stream would prevent its connection from closing.
    async *watch({ service }, { signal }) {
      yield { status: known.has(service) ? status() : Status.SERVICE_UNKNOWN };
      if (stopping.aborted) return;
      await aborted(AbortSignal.any([signal, stopping]));
      if (known.has(service) && stopping.aborted) yield { status: Status.NOT_SERVING };
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
