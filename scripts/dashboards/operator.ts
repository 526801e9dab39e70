import type { Dashboard } from "./dashboard.ts";
import { percentiles, quantile } from "./quantile.ts";

/** The dashboard of the operator: its state at a glance first, then what people wait for, then why. */
export const operatorDashboard: Dashboard = {
  uid: "muster-operator",
  title: "Muster / Operator",
  identifyingMetric: "muster_resync_interval_seconds",
  rows: [
    {
      title: "At a glance",
      panels: [
        {
          title: "Leaders",
          description: "Replicas that lead: 1 in each release. See the alert MusterNoLeader.",
          type: "value",
          badBelow: 1,
          queries: [
            { expr: "sum(leader_election_master_status and on (cluster, namespace, job, instance) muster_build_info)" },
          ],
        },
        {
          title: "Ready",
          description: "The share of the objects that are Ready.",
          type: "value",
          unit: "percentunit",
          badBelow: 0.99,
          queries: [{ expr: '(sum(muster_objects{ready="True"}) or vector(0)) / sum(muster_objects)' }],
        },
        {
          title: "Unready longest",
          description: "How long the object that has waited the longest has been unready. See MusterObjectNotReady.",
          type: "value",
          unit: "s",
          badFrom: 1800,
          queries: [
            {
              expr: 'max(muster_oldest_unready_age_seconds{reason!~"Paused|Protected|Expired|HeldByBreaker"}) or vector(0)',
            },
          ],
        },
        {
          title: "Tenants not Ready",
          description: "See MusterTenantNotReady.",
          type: "value",
          badFrom: 1,
          queries: [{ expr: 'sum(muster_tenants{ready!="True"}) or vector(0)' }],
        },
        {
          title: "Suspended",
          description: "Credentials whose calls, or writes, are suspended. See MusterCallsSuspended.",
          type: "value",
          badFrom: 1,
          queries: [{ expr: "sum(muster_calls_suspended)" }],
        },
        {
          title: "Held by breaker",
          description: "Resources that wait for a confirmation. See MusterBreakerOpen.",
          type: "value",
          badFrom: 1,
          queries: [{ expr: "max(muster_breaker)" }],
        },
        {
          title: "Undeclared",
          description: "Resources on the platform that nobody declared. See MusterUndeclaredAccess.",
          type: "value",
          badFrom: 1,
          queries: [{ expr: "sum(muster_undeclared) or vector(0)" }],
        },
        {
          title: "Version",
          description: "The versions that run.",
          type: "text",
          queries: [{ expr: 'count by (version) (muster_build_info{pod=~".*operator.*"})', legend: "{{version}}" }],
        },
      ],
    },
    {
      title: "Objects",
      panels: [
        {
          title: "Objects",
          description: "All objects by kind.",
          type: "graph",
          stacked: true,
          queries: [{ expr: "sum by (kind) (muster_objects)", legend: "{{kind}}" }],
        },
        {
          title: "Not Ready, by reason",
          description:
            "Objects that are not Ready; empty while all are. The reference of conditions has the fix for each reason.",
          type: "graph",
          queries: [{ expr: 'sum by (reason) (muster_objects{ready!="True"})', legend: "{{reason}}" }],
        },
        {
          title: "Time to Ready",
          description: "From the creation of an object until it was Ready for the first time.",
          type: "graph",
          unit: "s",
          queries: percentiles("muster_time_to_ready_seconds"),
        },
      ],
    },
    {
      title: "Access",
      panels: [
        {
          title: "Drift",
          description: "Changes that were made on the platform, outside Kubernetes, per hour.",
          type: "graph",
          queries: [{ expr: "sum by (result) (increase(muster_drift_total[1h]))", legend: "{{result}}" }],
        },
        {
          title: "Undeclared and orphaned",
          description: "Resources on the platform that no object declares, and those that lost their object.",
          type: "graph",
          queries: [
            { expr: "sum(muster_undeclared)", legend: "undeclared" },
            { expr: "sum(muster_orphans)", legend: "orphaned" },
          ],
        },
        {
          title: "Age of the last list",
          description:
            "Since when changes on the platform have not been noticed. The line `alert` is three resync intervals: see MusterResyncLate.",
          type: "graph",
          unit: "s",
          queries: [
            { expr: "max by (kind) (muster_snapshot_age_seconds)", legend: "{{kind}}" },
            { expr: "3 * max(muster_resync_interval_seconds)", legend: "alert" },
          ],
        },
      ],
    },
    {
      title: "Reconciles",
      panels: [
        {
          title: "Reconciles",
          description: "By result.",
          type: "graph",
          unit: "ops",
          stacked: true,
          queries: [
            {
              expr: "sum by (result) (rate(controller_runtime_reconcile_total[$__rate_interval]))",
              legend: "{{result}}",
            },
          ],
        },
        {
          title: "Keys that wait for a worker",
          description: "The length of the queues.",
          type: "graph",
          stacked: true,
          queries: [{ expr: "sum by (name) (workqueue_depth)", legend: "{{name}}" }],
        },
        {
          title: "Oldest key, longest reconcile",
          description: "How long the oldest key has waited, and how long the longest reconcile has been running.",
          type: "graph",
          unit: "s",
          queries: [
            { expr: "max(muster_queue_oldest_age_seconds)", legend: "oldest key" },
            { expr: "max(workqueue_longest_running_processor_seconds)", legend: "longest reconcile" },
          ],
        },
        {
          title: "Refused by Kubernetes",
          description:
            "Objects for which Kubernetes rejects a step; empty while there are none. See MusterKubernetesRefuses.",
          type: "graph",
          queries: [{ expr: "sum by (kind, step) (muster_kubernetes_refused)", legend: "{{kind}} {{step}}" }],
        },
      ],
    },
    {
      title: "Platform, as the operator sees it",
      panels: [
        {
          title: "Requests",
          description: "By gRPC code; noResponse if there was none.",
          type: "graph",
          unit: "reqps",
          stacked: true,
          queries: [
            { expr: "sum by (code) (rate(muster_platform_requests_total[$__rate_interval]))", legend: "{{code}}" },
          ],
        },
        {
          title: "Duration of 90 % of the requests",
          description: "By method.",
          type: "graph",
          unit: "s",
          queries: [
            {
              expr: quantile(0.9, "muster_platform_request_duration_seconds", "method"),
              legend: "{{method}}",
            },
          ],
        },
        {
          title: "Suspended credentials",
          description: "By what fails.",
          type: "graph",
          queries: [
            { expr: "sum by (credential, class) (muster_calls_suspended) > 0", legend: "{{credential}}: {{class}}" },
            { expr: "sum by (credential) (muster_credentials)", legend: "all: {{credential}}" },
          ],
        },
        {
          title: "Token exchanges",
          description: "By result.",
          type: "graph",
          unit: "ops",
          queries: [
            { expr: "sum by (result) (rate(muster_token_exchanges_total[$__rate_interval]))", legend: "{{result}}" },
          ],
        },
      ],
    },
    {
      title: "Kubernetes and the process",
      panels: [
        {
          title: "Requests to the API server",
          description: "By HTTP status.",
          type: "graph",
          unit: "reqps",
          stacked: true,
          queries: [{ expr: "sum by (code) (rate(rest_client_requests_total[$__rate_interval]))", legend: "{{code}}" }],
        },
        {
          title: "Failed lists and watches",
          description: "Each is retried. Empty while there are none.",
          type: "graph",
          unit: "ops",
          queries: [
            { expr: "sum by (kind) (rate(muster_watch_failures_total[$__rate_interval]))", legend: "{{kind}}" },
          ],
        },
        {
          title: "Memory",
          description: "Resident memory of each replica.",
          type: "graph",
          unit: "bytes",
          queries: [{ expr: 'process_resident_memory_bytes{pod=~".*operator.*"}', legend: "{{pod}}" }],
        },
        {
          title: "CPU",
          description: "Cores that each replica uses.",
          type: "graph",
          queries: [
            { expr: 'rate(process_cpu_seconds_total{pod=~".*operator.*"}[$__rate_interval])', legend: "{{pod}}" },
          ],
        },
      ],
    },
  ],
};
