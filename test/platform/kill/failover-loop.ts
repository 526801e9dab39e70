import { setTimeout as sleep } from "node:timers/promises";
import { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { checkAuditLog, checkWrites } from "./check-writes.ts";
import type { KillResult } from "./kill-loop.ts";
import { PatientPlatform } from "./patient-platform.ts";
import { PostgresPair } from "./postgres-pair.ts";
import { readUntil } from "./read-until.ts";
import { firstOf, type Replica, startReplica } from "./replica.ts";
import { viewerRole, writersPerReplica, writeUntil } from "./writers.ts";

/** How a primary fails: all of its processes are killed, or they are stopped, and go on when another server is the primary. */
export type Failure = "killed" | "frozen";

export interface FailoverLoop {
  readonly failures: readonly Failure[];
  readonly keyFile: string;
  readonly adminTokenFile: string;
  readonly progress: (line: string) => void;
}

export interface FailoverResult extends KillResult {
  /** The longest time that a call took in each round (ms), with its repetitions. */
  readonly waits: readonly number[];
}

interface Round {
  readonly acknowledged: number;
  readonly wait: number;
}

/** The longest time that a call may take, with its repetitions (ms). */
const longestWait = 10_000;
/** For how long replicas may show what a frozen primary had (ms). */
const longestStale = 3_000;

/**
 * Lets the primary of PostgreSQL fail during writes and reads through two replicas, once a round, and promotes its synchronous standby. Then
 * each acknowledged write must be there with its content, none doubled or partial, and the audit log must agree with the resources.
 * Callers repeat what is UNAVAILABLE, unless its outcome is unknown.
 * @throws {Error} that names the write, or says which call took too long or was stale
 */
export async function failoverLoop(options: FailoverLoop): Promise<FailoverResult> {
  const pair = await PostgresPair.start();
  const replicas: Replica[] = [];
  try {
    const data = ["--database", await pair.newDatabase()];
    for (const _ of [1, 2])
      replicas.push(await startReplica([...data, "--key-file", options.keyFile], options.adminTokenFile));
    const rounds: Round[] = [];
    for (const failure of options.failures)
      rounds.push(
        await failOnce(pair, replicas, failure, (text) => options.progress(`round ${rounds.length + 1}, ${text}`)),
      );
    const { platform, rootGroup } = firstOf(replicas);
    return {
      acknowledged: rounds.reduce((sum, round) => sum + round.acknowledged, 0),
      auditRecords: await checkAuditLog(data, platform, rootGroup),
      waits: rounds.map(({ wait }) => wait),
    };
  } finally {
    for (const { process } of replicas) await process.stop();
    await pair.stop();
  }
}

async function failOnce(
  pair: PostgresPair,
  replicas: readonly Replica[],
  failure: Failure,
  progress: (text: string) => void,
): Promise<Round> {
  const { platform: admin, rootGroup } = firstOf(replicas);
  const group = await admin.create("groups", rootGroup, { name: "round" });
  const role = await viewerRole(admin);
  const writes = new AcknowledgedWrites();
  let isOver = false;
  const callers = replicas.map(({ url, token }) => new PatientPlatform(url, token));
  const writers = callers.flatMap((caller) =>
    Array.from({ length: writersPerReplica }, () => writeUntil(() => isOver, caller, group.uid, role, writes)),
  );
  const readers = replicas.map(({ platform }) => readUntil(() => isOver, platform, writes));
  const work = Promise.all([...writers, ...readers]);
  // One that fails ends the wait.
  const during = (other: Promise<void>) => Promise.race([work, other]);
  await during(writes.reach(20 + Math.random() * 90));
  if (failure === "killed") await pair.kill();
  else pair.freeze();
  await pair.failOver();
  if (failure === "frozen") pair.thaw();
  await during(writes.reach(writes.count + 100));
  if (failure === "frozen") await during(sleep(longestStale + 1_000));
  await pair.rebuild();
  await during(writes.reach(writes.count + 20));
  isOver = true;
  await work;
  for (const { platform } of replicas) await checkWrites(platform, group.uid, writes);
  const reads = await Promise.all(readers);
  const wait = Math.max(...callers.flatMap(({ waits }) => waits), ...reads.map((read) => read.longestWait));
  const stale = Math.max(...reads.map((read) => read.longestStale));
  const staleReads = reads.reduce((sum, read) => sum + read.stale, 0);
  progress(
    `${failure}: all ${writes.count} acknowledged writes are there; longest wait ${seconds(wait)}; ${staleReads} stale reads, by at most ${seconds(stale)}`,
  );
  if (wait > longestWait) throw new Error(`a call took ${seconds(wait)}`);
  if (stale > (failure === "killed" ? 0 : longestStale))
    throw new Error(`a read did not show what was acknowledged ${seconds(stale)} before`);
  return { acknowledged: writes.created.size + writes.deleted.size, wait };
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
