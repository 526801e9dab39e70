import { expect, test } from "vitest";
import { OperatorMetrics } from "./operator-metrics.ts";

test("exports what controllers, queues, the client and the leader election report, under the known names", async () => {
  const metrics = new OperatorMetrics();
  metrics.reconciled("group", "error", 0.02);
  metrics.activeWorkers("group", 3);
  metrics.retried("group");
  metrics.depth("group", 7);
  metrics.added("group");
  metrics.waited("group", 0.5);
  metrics.worked("group", 0.02);
  metrics.kubernetesCall({ method: "PATCH", code: "200" });
  metrics.leading("muster", true);
  const lines = (await metrics.text()).split("\n");
  for (const line of [
    'controller_runtime_reconcile_total{controller="group",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="group"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="group"} 1',
    'controller_runtime_active_workers{controller="group"} 3',
    'workqueue_depth{name="group"} 7',
    'workqueue_adds_total{name="group"} 1',
    'workqueue_retries_total{name="group"} 1',
    'workqueue_queue_duration_seconds_sum{name="group"} 0.5',
    'workqueue_work_duration_seconds_count{name="group"} 1',
    'rest_client_requests_total{method="PATCH",code="200"} 1',
    'leader_election_master_status{name="muster"} 1',
  ])
    expect(lines).toContain(line);
  expect(lines.some((line) => line.startsWith("process_resident_memory_bytes "))).toBe(true);
});

test("two instances share nothing", async () => {
  const [one, other] = [new OperatorMetrics(), new OperatorMetrics()];
  one.orphans.set({ kind: "Group" }, 2);
  expect(await other.text()).not.toContain('muster_orphans{kind="Group"}');
});
