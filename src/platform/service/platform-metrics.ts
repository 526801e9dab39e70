import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** What the platform counts about itself, in the text format of Prometheus. */
export class PlatformMetrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "muster_platform_server_requests_total",
    help: "Calls that were answered, by method of the contract and gRPC code.",
    labelNames: ["method", "code"] as const,
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: "muster_platform_server_request_duration_seconds",
    help: "Time from a call's headers to its answer.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });
  readonly faults = new Counter({
    name: "muster_platform_server_faults_total",
    help: "Faults on demand that struck a call, by method of the contract.",
    labelNames: ["method"] as const,
    registers: [this.registry],
  });
  readonly inFlight = new Gauge({
    name: "muster_platform_server_requests_in_flight",
    help: "Calls that are being worked on.",
    registers: [this.registry],
  });

  /** @param connections how many connections the port has open */
  constructor(connections: () => Promise<number>) {
    collectDefaultMetrics({ register: this.registry });
    const gauge: Gauge = new Gauge({
      name: "muster_platform_server_connections",
      help: "Connections that are open.",
      registers: [],
      collect: async () => gauge.set(await connections()),
    });
    this.registry.registerMetric(gauge);
  }

  /** @param method the name of the operation, or "unknown" @param code gRPC's, 0 for success */
  observe(method: string, code: number, seconds: number): void {
    this.#requests.inc({ method, code });
    this.#duration.observe(seconds);
  }
}
