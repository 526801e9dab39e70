import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { registerBuildInfo } from "#src/telemetry/build-info-metric.ts";
import { PromptRead } from "../store/prompt-read.ts";

/** How long a scrape waits for a metric (ms): longer than for the health of the database, and shorter than Prometheus, which waits 10 s. */
const scrapeLimit = 3_000;

/** What a scrape asks of the components of the platform. Times are in milliseconds since the epoch. */
export interface MetricSources {
  /** The number of open connections. */
  readonly connections: () => Promise<number>;
  /** The maximum number of concurrent calls. */
  readonly maximumInFlight: number;
  readonly isDatabaseUp: () => Promise<boolean>;
  readonly isWritable: () => boolean;
  /** When the TLS certificate expires; undefined without TLS. */
  readonly certificateExpiry: () => number | undefined;
  /** When the key that signs API tokens was created. */
  readonly signingKeyCreation: () => Promise<number>;
  /** Milliseconds from one signing key to the next. */
  readonly signingKeyInterval: number;
  /** How many security events were left out of the logs. */
  readonly omittedEvents: () => number;
  /** Undefined if the audit log is not exported. */
  readonly auditExport: ExportSource | undefined;
}

/** The export of the audit log. */
export interface ExportSource {
  /** Milliseconds since the oldest record that was not exported. */
  readonly lag: () => Promise<number>;
  readonly exported: number;
  readonly failures: number;
}

/**
 * Counts completed calls by method and gRPC code. A counter with labels sorts and joins them for each count, which costs more
 * than the rest of what is measured of a call, so the numbers are given to it when they are read.
 */
class CallCounts {
  /** The numbers of a method, by code. There are as many methods as in the contract, and 17 codes. */
  readonly #counts = new Map<string, Map<number, number>>();

  constructor(registry: Registry) {
    const counter: Counter<"method" | "code"> = new Counter({
      name: "muster_platform_server_requests_total",
      help: "Completed calls, by method of the contract and gRPC code.",
      labelNames: ["method", "code"],
      registers: [registry],
      collect: () => {
        counter.reset();
        for (const [method, codes] of this.#counts)
          for (const [code, calls] of codes) counter.inc({ method, code }, calls);
      },
    });
  }

  /** @param method the name of the operation, or "unknown" @param code the gRPC code, 0 for success */
  count(method: string, code: number): void {
    let codes = this.#counts.get(method);
    if (codes === undefined) {
      codes = new Map();
      this.#counts.set(method, codes);
    }
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
}

/** The metrics of the platform, in the Prometheus text format. */
export class PlatformMetrics {
  readonly registry = new Registry();
  readonly #requests = new CallCounts(this.registry);
  readonly #duration = new Histogram({
    name: "muster_platform_server_request_duration_seconds",
    help: "Time from the headers of a call to its response, by method of the contract.",
    labelNames: ["method"] as const,
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

  constructor(sources: MetricSources) {
    collectDefaultMetrics({ register: this.registry });
    registerBuildInfo(this.registry);
    this.#onScrape(
      "muster_platform_server_requests_in_flight_limit",
      "The maximum number of calls in progress (--maximum-in-flight). Further ones are rejected.",
      () => sources.maximumInFlight,
    );
    this.#onScrape("muster_platform_server_connections", "Open connections.", sources.connections);
    this.#onScrape(
      "muster_platform_server_database_up",
      "1 if the database responded to a read within 2 s during the scrape, otherwise 0.",
      async () => ((await sources.isDatabaseUp()) ? 1 : 0),
    );
    this.#onScrape(
      "muster_platform_server_database_writable",
      "1 if the last write could be committed, 0 while none can, for example because the disk is full.",
      () => (sources.isWritable() ? 1 : 0),
    );
    this.#onScrape(
      "muster_platform_server_certificate_expiry_timestamp_seconds",
      "When the TLS certificate in use expires, in seconds since the epoch. Absent without TLS.",
      () => inSeconds(sources.certificateExpiry()),
    );
    this.#onScrape(
      "muster_platform_server_signing_key_creation_timestamp_seconds",
      "When the key that signs API tokens was created, in seconds since the epoch.",
      async () => inSeconds(await sources.signingKeyCreation()),
    );
    this.#onScrape(
      "muster_platform_server_signing_key_interval_seconds",
      "The time from the creation of one signing key to the next (--signing-key-interval).",
      () => inSeconds(sources.signingKeyInterval),
    );
    const { auditExport } = sources;
    this.#countOnScrape(
      "muster_platform_server_security_events_omitted_total",
      "Security events that were left out of the audit log and of the log, because there were too many.",
      () => sources.omittedEvents(),
    );
    this.#onScrape(
      "muster_platform_server_audit_export_lag_seconds",
      "The age of the oldest audit record that was not exported, on any replica; 0 if all were. Absent without --audit-webhook.",
      async () => inSeconds(await auditExport?.lag()),
    );
    this.#countOnScrape(
      "muster_platform_server_audit_export_records_total",
      "Audit records that this replica has exported.",
      () => auditExport?.exported ?? 0,
    );
    this.#countOnScrape(
      "muster_platform_server_audit_export_failures_total",
      "Attempts of this replica to export audit records that failed.",
      () => auditExport?.failures ?? 0,
    );
  }

  /** @param method the name of the operation, or "unknown" @param code the gRPC code, 0 for success */
  observe(method: string, code: number, seconds: number): void {
    this.#requests.count(method, code);
    this.#duration.observe({ method }, seconds);
  }

  /** A counter that is read at each scrape. */
  #countOnScrape(name: string, help: string, read: () => number): void {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [this.registry],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** A gauge that is read at each scrape; without a value, or with one that is late, it has no sample. */
  #onScrape(name: string, help: string, read: () => Promise<number | undefined> | number | undefined): void {
    const prompt = new PromptRead(async () => read(), scrapeLimit);
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect: async () => {
        const value = await prompt.value();
        if (value === undefined) gauge.remove();
        else gauge.set(value);
      },
    });
  }
}

function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1_000;
}
