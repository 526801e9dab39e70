import { writeSync } from "node:fs";
import type { Values } from "#src/commands/settings/settings.ts";
import { systemClock } from "#src/time/clock.ts";
import { Agent } from "#src/workload/agent.ts";
import { lineLog } from "#src/workload/line-log.ts";
import { keepHeapSmall } from "#src/workload/small-heap.ts";
import { readSubjectToken } from "#src/workload/subject-token.ts";
import type { TokenFiles } from "#src/workload/token-files.ts";
import { Exchanger } from "./exchange.ts";
import type { apiAudience, exchangeSettings } from "./settings.ts";

type AgentValues = Values<typeof exchangeSettings & { readonly apiAudience: typeof apiAudience }>;

/** Keeps a token in the files until `signal` aborts. SIGHUP renews it at once. */
export async function keepToken(
  values: AgentValues,
  files: TokenFiles,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const exchanger = await Exchanger.create(values, values.apiAudience, env);
  const agent = new Agent({
    identity: values.identity,
    readSubjectToken: () => readSubjectToken(values.subjectTokenFile),
    exchange: (subject, stopped) => exchanger.exchange(subject, stopped),
    files,
    clock: systemClock,
    random: Math.random,
    log: lineLog(writeToStandardError, () => systemClock.now()),
    beforePause: keepHeapSmall(),
  });
  process.on("SIGHUP", () => agent.renewNow());
  await agent.run(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** A line that nobody reads is dropped: a full pipe must not end the agent. */
function writeToStandardError(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // Nothing can be reported about standard error itself.
  }
}
