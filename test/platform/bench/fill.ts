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
import { newUidIn } from "#src/platform/contract/uid.ts";

/** A tree that is filled: the file, and beside it the admin's token. */
export interface FilledFile {
  readonly path: string;
  readonly adminTokenFile: string;
  /** What filling took; undefined where it was there. */
  readonly seconds: number | undefined;
}

const subtrees = 10;
const identitiesPerGroup = 100;
/** Resources a commit. */
const batch = 20_000;
/** Most of the tree's pages are changed again and again. */
const cacheMiB = 1_024;
/** Resources come one a second: the newest one of the largest tree is not from the future. */
const firstTime = Date.UTC(2025, 0, 1);

/**
 * Fills a SQLite file with a tree: ten subtrees below the root, in them a group for each hundred identities. It is done
 * by the code that a create runs, with its counts and records, many to a commit. Which group the next identity goes to is
 * shuffled, and so is what its name begins with: no order of a List follows another.
 */
export async function filledFile(folder: string, size: number): Promise<FilledFile> {
  const path = `${folder}/filled-${size}`;
  const adminTokenFile = `${path}.admin-token`;
  if (existsSync(path)) return { path, adminTokenFile, seconds: undefined };
  const started = performance.now();
  // By its own name it is whole.
  const partial = `${path}.partial`;
  const store = new SqliteDatabase(partial, cacheMiB);
  const { rootGroup } = await initialize(store, adminTokenFile, firstTime);
  const write = (now: number, work: (tx: AuthoredWriter) => Promise<void>) =>
    store.write((tx) => work(new AuthoredWriter(tx, { kind: "host", command: "bench:platform" }, now)));

  const groupUids: string[] = [];
  await write(firstTime, async (tx) => {
    const group = async (parent: string, name: string) => {
      const time = timestampFromMs(firstTime);
      const made = create(GroupSchema, { uid: newUidIn(parent), name, createTime: time, updateTime: time });
      await groups.insert(tx, made);
      return made.uid;
    };
    const tops: string[] = [];
    for (let n = 0; n < subtrees; n++) tops.push(await group(rootGroup, `subtree-${n}`));
    for (let n = 0; n < size / identitiesPerGroup; n++)
      groupUids.push(await group(tops[n % subtrees] ?? rootGroup, `team-${n}`));
  });
  const next = numbers();
  for (let start = 0; start < size; start += batch)
    await write(firstTime, async (tx) => {
      for (let n = start; n < Math.min(start + batch, size); n++) {
        const time = timestampFromMs(firstTime + n * 1_000);
        const made = create(IdentitySchema, {
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
        await identities.insert(tx, made);
      }
    });
  await store.close();
  await rename(partial, path);
  return { path, adminTokenFile, seconds: (performance.now() - started) / 1_000 };
}

/** The same numbers below a bound at each run: a linear congruential generator. */
function numbers(): (bound: number) => number {
  let state = 1;
  return (bound) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * bound);
  };
}
