import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of the platform, in the Prometheus text format. */
export class PlatformMetrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "muster_platform_server_requests_total",
    help: "Completed calls, by method of the contract and gRPC code.",
    labelNames: ["method", "code"] as const,
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: "muster_platform_server_request_duration_seconds",
    help: "Time from the headers of a call to its response.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });
  readonly faults = new Counter({
    name: "muster_platform_server_faults_total",
    help: "Calls that a fault on demand was applied to, by method of the contract.",
    labelNames: ["method"] as const,
    registers: [this.registry],
  });
  readonly inFlight = new Gauge({
    name: "muster_platform_server_requests_in_flight",
    help: "Calls in progress.",
    registers: [this.registry],
  });

  /** @param connections returns the number of open connections */
  constructor(connections: () => Promise<number>) {
    collectDefaultMetrics({ register: this.registry });
    const gauge: Gauge = new Gauge({
      name: "muster_platform_server_connections",
      help: "Open connections.",
      registers: [],
      collect: async () => gauge.set(await connections()),
    });
    this.registry.registerMetric(gauge);
  }

  /** @param method the name of the operation, or "unknown" @param code the gRPC code, 0 for success */
  observe(method: string, code: number, seconds: number): void {
    this.#requests.inc({ method, code });
    this.#duration.observe(seconds);
  }
}
