import { execFile } from "node:child_process";
import { isDeepStrictEqual, promisify } from "node:util";
import type { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { program } from "#test/support/harness/program.ts";
import type { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { listAll, type Resource } from "./list-all.ts";
import { batchSize } from "./writers.ts";

/** @throws {Error} that names an acknowledged write that was lost, or a write that was applied in part */
export async function checkWrites(
  platform: PlatformAdmin,
  group: string,
  { created, deleted, deletionSent }: AcknowledgedWrites,
): Promise<void> {
  const identities = await listAll<Resource & { readonly name: string }>(platform, "identities", group);
  const bindings = await listAll<Resource & { readonly identity?: Resource }>(platform, "roleBindings", group);
  const listed = new Map([...identities, ...bindings].map((resource) => [resource.uid, resource]));
  const lost = [...created].filter(
    ([uid, { resource }]) => !deletionSent.has(uid) && !isDeepStrictEqual(listed.get(uid), resource),
  );
  if (lost.length > 0) throw new Error(`lost: ${lost.length} acknowledged writes, for example of ${lost[0]?.[0]}`);
  const undeleted = [...deleted.keys()].filter((uid) => listed.has(uid));
  if (undeleted.length > 0)
    throw new Error(`lost: ${undeleted.length} acknowledged deletions, for example of ${undeleted[0]}`);
  const doubled = identities.length - new Set(identities.map(({ name }) => name)).size;
  if (doubled > 0) throw new Error(`doubled: ${doubled} identities were created twice`);
  const bindingCounts = new Map<string, number>(identities.map(({ uid }) => [uid, 0]));
  for (const { uid, identity } of bindings) {
    const count = bindingCounts.get(identity?.uid ?? "");
    if (identity === undefined || count === undefined)
      throw new Error(`partial write: role binding ${uid} has no identity`);
    bindingCounts.set(identity.uid, count + 1);
  }
  for (const [uid, count] of bindingCounts)
    if (count !== 0 && count !== batchSize)
      throw new Error(`partial write: identity ${uid} has ${count} of ${batchSize} role bindings`);
}

/**
 * Each change writes its audit record in the same transaction, so replaying the audit log must give the current
 * resources.
 * @returns the number of audit records
 */
export async function checkAuditLog(
  data: readonly string[],
  platform: PlatformAdmin,
  rootGroup: string,
): Promise<number> {
  const args = [program, "platform", "audit", ...data, "--resource", rootGroup];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1024 ** 3 });
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { action: string; resource: string });
  const recorded = new Set<string>();
  for (const { action, resource: uid } of records) {
    if (action === "create" && recorded.has(uid)) throw new Error(`audit log: two creations of ${uid}`);
    if (action === "delete" && !recorded.has(uid)) throw new Error(`audit log: ${uid} was deleted but never created`);
    if (action === "create") recorded.add(uid);
    if (action === "delete") recorded.delete(uid);
  }
  const listed = new Set<string>([rootGroup]);
  for (const collection of ["groups", "identities", "roleBindings"])
    for (const { uid } of await listAll(platform, collection, rootGroup)) listed.add(uid);
  const different = [...recorded, ...listed].filter((uid) => recorded.has(uid) !== listed.has(uid));
  if (different.length > 0)
    throw new Error(
      `audit log: it differs from the platform in ${different.length} resources, for example ${different[0]}`,
    );
  return records.length;
}
