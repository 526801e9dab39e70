import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";

/**
 * The standard health service: the whole (`""`) and each service serve until the platform stops, which watchers are
 * told at once.
 * @param services full names
 * @param stopping aborted when the platform is to get no more calls
 */
export function mountHealth(router: ConnectRouter, services: readonly string[], stopping: AbortSignal): void {
  const known = new Set(["", ...services]);
  const status = () => (stopping.aborted ? Status.NOT_SERVING : Status.SERVING);
  router.service(Health, {
    check: ({ service }) => {
      if (!known.has(service)) throw new ConnectError(`there is no service "${service}"`, Code.NotFound);
      return { status: status() };
    },
    list: () => ({ statuses: Object.fromEntries([...known].map((name) => [name, { status: status() }])) }),
    // Ends when the platform stops: what streams would keep it from closing its connections.
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
