import { existsSync } from "node:fs";
import { rename } from "node:fs/promises";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AuthoredWriter } from "#src/platform/audit/authored-writer.ts";
import { initialize } from "#src/platform/initialize.ts";
import { GroupSchema } from "#src/platform/gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "#src/platform/gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { groups } from "#src/platform/collections/groups.ts";
import { identities } from "#src/platform/collections/identities.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import { setLimits } from "#src/platform/resources/resource-limits.ts";
import { newUidIn } from "#src/platform/contract/uid.ts";

/** A SQLite file with the tree, and the file with the administrator's token. */
export interface FilledFile {
  readonly path: string;
  readonly adminTokenFile: string;
  /** The time that it took to fill the file; undefined if it existed. */
  readonly seconds: number | undefined;
}

const subtrees = 10;
const identitiesPerGroup = 100;
/** Resources per commit. */
const batch = 20_000;
/** Most pages of the tree change many times, so they should stay in the cache. */
const cacheMiB = 1_024;
/** Creation times are one second apart. From this start, those of the largest tree are still in the past. */
const firstTime = Date.UTC(2025, 0, 1);

/**
 * Fills a SQLite file with a tree: ten subtrees below the root, with a group for each hundred identities. It runs the
 * code of a Create, with its counts and audit records, for many resources in one commit. The group and the name of each
 * identity are pseudorandom, so that the orders of a List are independent of each other.
 */
export async function filledFile(folder: string, size: number): Promise<FilledFile> {
  const path = `${folder}/filled-${size}`;
  const adminTokenFile = `${path}.admin-token`;
  if (existsSync(path)) return { path, adminTokenFile, seconds: undefined };
  const started = performance.now();
  // The file gets its final name when it is complete.
  const partial = `${path}.partial`;
  const database = new SqliteDatabase(partial, { cacheMiB });
  const { rootGroup } = await initialize(database, adminTokenFile, firstTime);
  const write = (now: number, work: (tx: AuthoredWriter) => Promise<void>) =>
    database.write((tx) => work(new AuthoredWriter(tx, { kind: "host", command: "bench platform" }, now)));

  const groupUids: string[] = [];
  await write(firstTime, async (tx) => {
    await setLimits(tx, rootGroup, {}, { resources: 2 ** 31 - 1 });
    const group = async (parent: string, name: string) => {
      const time = timestampFromMs(firstTime);
      const resource = create(GroupSchema, { uid: newUidIn(parent), name, createTime: time, updateTime: time });
      await groups.insert(tx, resource);
      return resource.uid;
    };
    const subtreeUids: string[] = [];
    for (let n = 0; n < subtrees; n++) subtreeUids.push(await group(rootGroup, `subtree-${n}`));
    for (let n = 0; n < size / identitiesPerGroup; n++)
      groupUids.push(await group(subtreeUids[n % subtrees] ?? rootGroup, `team-${n}`));
  });
  const next = numbers();
  for (let start = 0; start < size; start += batch)
    await write(firstTime, async (tx) => {
      for (let n = start; n < Math.min(start + batch, size); n++) {
        const time = timestampFromMs(firstTime + n * 1_000);
        const resource = create(IdentitySchema, {
          uid: newUidIn(groupUids[next(groupUids.length)] ?? rootGroup),
          name: `${next(2 ** 31).toString(36)}-deployer-${n}`,
          description: "Deploys what the pipeline has built.",
          createTime: time,
          updateTime: time,
          lastSeenTime: time,
          relationship: {
            case: "claimMatch",
            value: {
              iss: { case: "issuer", value: "https://issuer.example.com" },
              sub: { case: "subject", value: `system:serviceaccount:team:${n}` },
            },
          },
        });
        await identities.insert(tx, resource);
      }
    });
  await database.close();
  await rename(partial, path);
  return { path, adminTokenFile, seconds: (performance.now() - started) / 1_000 };
}

/** A linear congruential generator of numbers below a bound. Each run draws the same numbers. */
function numbers(): (bound: number) => number {
  let state = 1;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * bound);
  };
}
