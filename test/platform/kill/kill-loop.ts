import { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { checkAuditLog, checkWrites } from "./check-writes.ts";
import { firstOf, type Replica, startReplica } from "./replica.ts";
import { viewerRole, writersPerReplica, writeUntil } from "./writers.ts";

export interface KillLoop {
  readonly rounds: number;
  /** The database, as flags of `muster platform` and of its tools: `--data FILE` or `--database URL`. */
  readonly data: readonly string[];
  readonly keyFile: string;
  readonly adminTokenFile: string;
  readonly replicas: 1 | 2;
  readonly progress: (line: string) => void;
}

export interface KillResult {
  /** The number of acknowledged writes. Each was verified after the kill. */
  readonly acknowledged: number;
  readonly auditRecords: number;
}

/**
 * Kills a platform with SIGKILL during writes, once a round, and restarts it. Then each acknowledged write must be
 * there, no write may be applied in part, and the audit log must agree with the resources. The second replica, if there
 * is one, must keep serving.
 * @throws {Error} that names the lost or partial write
 */
export async function killLoop(options: KillLoop): Promise<KillResult> {
  const { data, adminTokenFile, rounds } = options;
  const start = () => startReplica([...data, "--key-file", options.keyFile], adminTokenFile);
  const replicas: Replica[] = [];
  try {
    for (let number = 0; number < options.replicas; number++) replicas.push(await start());
    let acknowledged = 0;
    for (let round = 0; round < rounds; round++) {
      const writes = await killOnce(replicas, round, start);
      acknowledged += writes.created.size + writes.deleted.size;
      options.progress(`round ${round + 1} of ${rounds}: all ${writes.count} acknowledged writes are there`);
    }
    const { platform, rootGroup } = firstOf(replicas);
    return { acknowledged, auditRecords: await checkAuditLog(data, platform, rootGroup) };
  } finally {
    for (const { process } of replicas) await process.stop();
  }
}

/** Writes through all replicas, kills one of them, restarts it, and checks the writes on each. */
async function killOnce(
  replicas: Replica[],
  round: number,
  restart: () => Promise<Replica>,
): Promise<AcknowledgedWrites> {
  const { platform, rootGroup } = firstOf(replicas);
  const group = await platform.create("groups", rootGroup, { name: `round ${round}` });
  const role = await viewerRole(platform);
  const acknowledged = new AcknowledgedWrites();
  let isOver = false;
  const writers = Promise.all(
    replicas.flatMap((replica) =>
      Array.from({ length: writersPerReplica }, () =>
        writeUntil(() => isOver, replica.platform, group.uid, role, acknowledged),
      ),
    ),
  );
  // A writer that fails ends the wait.
  const reached = (count: number) => Promise.race([writers, acknowledged.reach(count)]);
  const victim = round % replicas.length;
  // Every tenth kill comes before the first response.
  await reached(round % 10 === 0 ? 0 : 5 + ((round * 37) % 90));
  await replicas[victim]?.process.kill();
  if (replicas.length > 1) await reached(acknowledged.count + 10);
  isOver = true;
  await writers;
  replicas[victim] = await restart();
  for (const replica of replicas) await checkWrites(replica.platform, group.uid, acknowledged);
  return acknowledged;
}
