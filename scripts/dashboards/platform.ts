import type { Dashboard } from "./dashboard.ts";
import { percentiles, quantile } from "./quantile.ts";

const errors = '{code=~"2|4|13|14|15"}';
const requests = "muster_platform_server_requests_total";

/** The dashboard of the platform: traffic, errors, duration, saturation; then keys and certificates, and the process. */
export const platformDashboard: Dashboard = {
  uid: "muster-platform",
  title: "Muster / Platform",
  identifyingMetric: "muster_platform_server_database_up",
  rows: [
    {
      title: "At a glance",
      panels: [
        {
          title: "Replicas",
          description: "Replicas that respond. See the alert MusterPlatformDown.",
          type: "value",
          badBelow: 1,
          queries: [{ expr: "count(muster_platform_server_requests_in_flight) or vector(0)" }],
        },
        {
          title: "Database",
          description: "Replicas that can read the database. See MusterPlatformDatabaseDown.",
          type: "value",
          badBelow: 1,
          queries: [{ expr: "sum(muster_platform_server_database_up)" }],
        },
        {
          title: "Errors",
          description: "The share of the calls that fail because of the server. See MusterPlatformErrors.",
          type: "value",
          unit: "percentunit",
          badFrom: 0.05,
          queries: [
            {
              expr: `(sum(rate(${requests}${errors}[$__rate_interval])) or vector(0)) / sum(rate(${requests}[$__rate_interval]))`,
            },
          ],
        },
        {
          title: "99 % of the calls within",
          description: "See MusterPlatformSlow.",
          type: "value",
          unit: "s",
          badFrom: 1,
          queries: [
            {
              expr: quantile(0.99, "muster_platform_server_request_duration_seconds"),
            },
          ],
        },
        {
          title: "Certificate expires in",
          description: "See MusterPlatformCertificateExpires. Without TLS there is no value.",
          type: "value",
          unit: "s",
          badBelow: 14 * 86_400,
          queries: [{ expr: "min(muster_platform_server_certificate_expiry_timestamp_seconds) - time()" }],
        },
        {
          title: "Age of the signing key",
          description: "How old the key is that signs API tokens. See MusterPlatformSigningKeyOld.",
          type: "value",
          unit: "s",
          queries: [{ expr: "time() - min(muster_platform_server_signing_key_creation_timestamp_seconds)" }],
        },
        {
          title: "Version",
          description: "The versions that run.",
          type: "text",
          queries: [{ expr: 'count by (version) (muster_build_info{pod=~".*platform.*"})', legend: "{{version}}" }],
        },
      ],
    },
    {
      title: "Calls",
      panels: [
        {
          title: "Calls by code",
          description: "gRPC codes, whatever the transport; 0 is success.",
          type: "graph",
          unit: "reqps",
          stacked: true,
          queries: [{ expr: `sum by (code) (rate(${requests}[$__rate_interval]))`, legend: "code {{code}}" }],
        },
        {
          title: "Calls by method",
          description: "The five methods with the most calls.",
          type: "graph",
          unit: "reqps",
          queries: [
            {
              expr: `topk(5, sum by (method) (label_replace(rate(${requests}[$__rate_interval]), "method", "$1", "method", ".*[.](.*)")))`,
              legend: "{{method}}",
            },
          ],
        },
        {
          title: "Duration",
          description: "From the headers of a call to its response.",
          type: "graph",
          unit: "s",
          queries: percentiles("muster_platform_server_request_duration_seconds"),
        },
      ],
    },
    {
      title: "Tokens and limits",
      panels: [
        {
          title: "Token exchanges",
          description: "By gRPC code. See MusterPlatformExchangesRefused.",
          type: "graph",
          unit: "reqps",
          stacked: true,
          queries: [
            {
              expr: `sum by (code) (rate(${requests}{method=~".*[.]SecurityTokenService/Exchange"}[$__rate_interval]))`,
              legend: "code {{code}}",
            },
          ],
        },
        {
          title: "Calls in progress",
          description: "And how many may be. See MusterPlatformOverloaded.",
          type: "graph",
          queries: [
            { expr: "muster_platform_server_requests_in_flight", legend: "{{pod}}" },
            { expr: "max(muster_platform_server_requests_in_flight_limit)", legend: "limit" },
          ],
        },
        {
          title: "Connections",
          description: "Open connections of each replica.",
          type: "graph",
          queries: [{ expr: "muster_platform_server_connections", legend: "{{pod}}" }],
        },
      ],
    },
    {
      title: "The process",
      panels: [
        {
          title: "Memory",
          description: "Resident memory of each replica.",
          type: "graph",
          unit: "bytes",
          queries: [{ expr: 'process_resident_memory_bytes{pod=~".*platform.*"}', legend: "{{pod}}" }],
        },
        {
          title: "CPU",
          description: "Cores that each replica uses.",
          type: "graph",
          queries: [
            { expr: 'rate(process_cpu_seconds_total{pod=~".*platform.*"}[$__rate_interval])', legend: "{{pod}}" },
          ],
        },
        {
          title: "Delay of the event loop",
          description: "99 % of the delays are shorter. Above 0.1 s the process is busy.",
          type: "graph",
          unit: "s",
          queries: [{ expr: 'nodejs_eventloop_lag_p99_seconds{pod=~".*platform.*"}', legend: "{{pod}}" }],
        },
      ],
    },
  ],
};
