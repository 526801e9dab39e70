import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { Api, type Resource } from "./api.ts";
import { Replica } from "./replica.ts";
import { type Acknowledged, batchSize, nothingYet, writeUntil } from "./writers.ts";

export interface KillLoop {
  readonly rounds: number;
  /** Where the data is, as settings of `muster platform` and of its tools: `--data FILE` or `--database URL`. */
  readonly data: readonly string[];
  readonly keyFile: string;
  readonly adminTokenFile: string;
  readonly replicas: 1 | 2;
  readonly progress: (line: string) => void;
}

export interface KillResult {
  /** Writes that were answered with success; each was looked for afterwards. */
  readonly acknowledged: number;
  readonly auditRecords: number;
}

const writersPerReplica = 6;

/**
 * Kills a platform in the midst of writes (SIGKILL), again and again: each acknowledged write is there, nothing is
 * half-done, and the audit log tells exactly what is there. With two replicas, the other one goes on meanwhile.
 * @throws Error that says what is lost or half-done
 */
export async function killLoop(options: KillLoop): Promise<KillResult> {
  const settings = [...options.data, "--key-file", options.keyFile, "--admin-token-file", options.adminTokenFile];
  const replicas: Replica[] = [];
  for (let number = 0; number < options.replicas; number++) replicas.push(await Replica.start(settings));
  const apiOf = ({ url }: Replica) => new Api(url, readFileSync(options.adminTokenFile, "utf8").trim());
  let acknowledgedInAll = 0;
  let rootGroup = "";
  try {
    for (let round = 0; round < options.rounds; round++) {
      const victim = round % replicas.length;
      const [first] = replicas;
      if (first === undefined) throw new Error("there is no replica");
      rootGroup = first.rootGroup;
      const name = `round ${round}`;
      const group = await apiOf(first).send<Resource>("POST", `/iam/v2beta1/groups/${rootGroup}`, { name });
      const role = await viewerRole(apiOf(first));
      const acknowledged = nothingYet();
      let over = false;
      const written = Promise.all(
        replicas.flatMap((replica) =>
          Array.from({ length: writersPerReplica }, () =>
            writeUntil(() => over, apiOf(replica), group.uid, role, acknowledged),
          ),
        ),
      );
      // A writer that fails ends the loop at once.
      const reached = (count: number) => Promise.race([written, whenReached(acknowledged, count)]);
      // Now and then before the first answer, now and then in the midst.
      const moment = round % 10 === 0 ? 0 : 5 + ((round * 37) % 90);
      await reached(moment);
      await replicas[victim]?.end("SIGKILL");
      // The one that is left has to go on.
      if (replicas.length > 1) await reached(acknowledged.count + 10);
      over = true;
      await written;
      replicas[victim] = await Replica.start(settings);
      for (const replica of replicas) await checkRound(apiOf(replica), group.uid, acknowledged);
      acknowledgedInAll += acknowledged.made.size + acknowledged.deleted.size;
      options.progress(`round ${round + 1} of ${options.rounds}: ${acknowledged.count} writes acknowledged, all there`);
    }
    const [last] = replicas;
    if (last === undefined) throw new Error("there is no replica");
    return { acknowledged: acknowledgedInAll, auditRecords: await checkAudit(options.data, apiOf(last), rootGroup) };
  } finally {
    for (const replica of replicas) await replica.end("SIGTERM");
  }
}

async function whenReached(acknowledged: Acknowledged, count: number): Promise<void> {
  while (acknowledged.count < count) await setImmediate();
}

async function viewerRole(api: Api): Promise<string> {
  const { roles } = await api.send<{ roles: Resource[] }>("GET", "/iam/v2beta1/roles?name=viewer&uidp.in_root=true");
  return roles[0]?.uid ?? "";
}

async function checkRound(api: Api, group: string, { made, deleted, doubtful }: Acknowledged): Promise<void> {
  const identities = await api.below("identities", group);
  const bindings = await api.below<Resource & { readonly identity?: Resource }>("roleBindings", group);
  const there = new Set([...identities, ...bindings].map(({ uid }) => uid));
  const lost = [...made].filter((uid) => !there.has(uid) && !doubtful.has(uid));
  if (lost.length > 0) throw new Error(`lost: ${lost.length} acknowledged writes, such as ${lost[0]}`);
  const undead = [...deleted].filter((uid) => there.has(uid));
  if (undead.length > 0) throw new Error(`lost: ${undead.length} acknowledged deletions, such as ${undead[0]}`);
  const bound = new Map<string, number>(identities.map(({ uid }) => [uid, 0]));
  for (const { uid, identity } of bindings) {
    const count = bound.get(identity?.uid ?? "");
    if (identity === undefined || count === undefined) throw new Error(`half-done: ${uid} binds nobody`);
    bound.set(identity.uid, count + 1);
  }
  for (const [uid, count] of bound)
    if (count !== 0 && count !== batchSize) throw new Error(`half-done: ${uid} has ${count} bindings of ${batchSize}`);
}

/** Each change was recorded by its own transaction: what the log says was made and not deleted is what there is. */
async function checkAudit(data: readonly string[], api: Api, rootGroup: string): Promise<number> {
  const args = ["src/main.ts", "platform", "audit", ...data, "--uid", rootGroup];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1024 ** 3 });
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { action: string; uid: string; type: string });
  const told = new Set<string>();
  for (const { action, uid } of records) {
    if (action === "create" && told.has(uid)) throw new Error(`half-done: ${uid} is told as made twice`);
    if (action === "delete" && !told.has(uid)) throw new Error(`half-done: ${uid} is told as deleted, never as made`);
    if (action === "create") told.add(uid);
    if (action === "delete") told.delete(uid);
  }
  const there = new Set<string>([rootGroup]);
  for (const collection of ["groups", "identities", "roleBindings"])
    for (const { uid } of await api.below(collection, rootGroup)) there.add(uid);
  const different = [...told, ...there].filter((uid) => told.has(uid) !== there.has(uid));
  if (different.length > 0)
    throw new Error(`half-done: the audit log and the platform differ in ${different.length}, such as ${different[0]}`);
  return records.length;
}
