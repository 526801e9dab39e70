import type { CommandContext } from "#src/commands/command.ts";
import { identifyCluster } from "#src/commands/operator/cluster.ts";
import { connectKubernetes } from "#src/commands/operator/connect-kubernetes.ts";
import { startServiceAccountKeys } from "#src/commands/operator/service-account-keys.ts";
import type { OperatorValues } from "#src/commands/operator/settings.ts";
import { requireFewObjects } from "#src/commands/reader/object-limit.ts";
import { ReadBudget } from "#src/commands/reader/read-budget.ts";
import { keepHeapSmall } from "#src/commands/reader/small-heap.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { MemoryCluster } from "#src/plan/memory-cluster.ts";
import { createLog } from "#src/telemetry/log.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { VirtualClock } from "#src/time/virtual-clock.ts";
import type { ShownPlan } from "./format-plan.ts";
import { connectAsOperator } from "./operator-reader.ts";
import { planWithAccess } from "./plan-with-access.ts";
import { readCluster, watchedBy } from "./read-cluster.ts";
import { reportPlan } from "./report-plan.ts";
import type { PlanValues } from "./settings.ts";

/**
 * Prints what the operator would do if it started now, with its own settings and credentials. It takes no Lease, and writes nothing.
 * @throws {CommandFailure} with the exit codes of a plan
 */
export async function dryRun(
  values: OperatorValues & Pick<PlanValues, "output" | "maxObjects">,
  kinds: readonly Kind[],
  context: CommandContext,
): Promise<void> {
  const plan = await planOfOperator(values, kinds, context);
  await reportPlan(plan, values.output, context);
}

async function planOfOperator(
  values: OperatorValues & Pick<PlanValues, "maxObjects">,
  kinds: readonly Kind[],
  { env, signal }: CommandContext,
): Promise<ShownPlan> {
  keepHeapSmall();
  const log = createLog({ level: values.logLevel });
  // A plan is one attempt: who asks for it wants to know that the API server is away.
  const onError = (error: unknown) => {
    throw error;
  };
  const { kube, leases, newClient } = await connectKubernetes(values, { env, clock, observe: () => undefined });
  const platform = await connectAsOperator(values, env);
  const budget = new ReadBudget();
  const end = new AbortController();
  try {
    const facts = await identifyCluster(values, kube, { clock, random: Math.random, onError }, signal);
    const keys = await startServiceAccountKeys(
      values,
      { newClient, log, clock },
      AbortSignal.any([signal, end.signal]),
    );
    const narrow = "use muster plan with --offline and the manifests of one Tenant";
    await requireFewObjects(kube, watchedBy(kinds), { ...values, narrow }, signal);
    const virtual = new VirtualClock(clock.now());
    const world = {
      kinds,
      cluster: new MemoryCluster(await readCluster(budget.cluster(kube), kinds, signal), virtual),
      clock: virtual,
      caller: { identity: values.identity },
      subjects: undefined,
      facts,
      isWholeCluster: true,
      platform: { ...platform, api: budget.platform(platform.api) },
      uploaded: () => keys?.uploaded,
    };
    return await planWithAccess(values, world, signal);
  } finally {
    end.abort(new Error("the plan has ended"));
    await Promise.all([kube.close(), leases.close(), platform.close()]);
  }
}
