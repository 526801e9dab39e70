import { setTimeout as sleep } from "node:timers/promises";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";
import { isReady, type Readiness } from "../service/readiness.ts";

/** How often a watcher's status is determined again (ms). */
const watchInterval = 5_000;

/**
 * The standard health service. The platform (`""`) and each service are SERVING while the platform is ready, as on
 * `/readyz`. Watchers are notified at once when it stops, and within 5 s of another change.
 * @param services their full names
 */
export function mountHealth(router: ConnectRouter, services: readonly string[], readiness: Readiness): void {
  const { stopping } = readiness;
  const known = new Set(["", ...services]);
  const currentStatus = async () => (isReady(await readiness.state()) ? Status.SERVING : Status.NOT_SERVING);
  router.service(Health, {
    check: async ({ service }) => {
      if (!known.has(service)) throw new ConnectError(`unknown service "${service}"`, Code.NotFound);
      return { status: await currentStatus() };
    },
    list: async () => {
      const status = await currentStatus();
      return { statuses: Object.fromEntries([...known].map((name) => [name, { status }])) };
    },
    // A watch ends when the platform stops, because an open stream would prevent its connection from closing.
    async *watch({ service }, { signal }) {
      const ended = AbortSignal.any([signal, stopping]);
      let last: Status | undefined;
      while (!signal.aborted) {
        const status = known.has(service) ? await currentStatus() : Status.SERVICE_UNKNOWN;
        if (status !== last) yield { status };
        last = status;
        if (stopping.aborted) return;
        await sleep(watchInterval, undefined, { signal: ended }).catch(() => undefined);
      }
    },
  });
}
