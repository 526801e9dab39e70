import type { DescMessage } from "@bufbuild/protobuf";
import type { Reader } from "../store/database.ts";
import type { Collection } from "./collection.ts";
import type { Region } from "./region.ts";
import { type CountedKind, countBelow, countsBelow } from "./tree-counts.ts";

/**
 * The number of resources in each region, from the maintained counts.
 * @param excluded partitions that are not counted
 */
export async function regionCounts<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  regions: readonly Region[],
  excluded: readonly string[],
): Promise<number[]> {
  const { table } = collection.description;
  const kinds: CountedKind[] = [table, ...excluded.map((partition) => `${table}/${partition}` as const)];
  const counts =
    regions.length === 1 ? await countsOfOne(reader, kinds, regions[0]) : await countsBelow(reader, kinds, regions);
  // The resource at the top of a region is not below it.
  const tops = regions.flatMap((region) =>
    region.kind === "subtree" || region.kind === "resource" ? [region.uid] : [],
  );
  const listed = await listedOf(reader, collection, tops, excluded);
  return regions.map((region, n) => {
    const isCounted = "uid" in region && region.kind !== "descendants" && region.kind !== "children";
    return (counts[n] ?? 0) + (isCounted && listed.has(region.uid) ? 1 : 0);
  });
}

/** Those of the uids that resources have, without those of the excluded partitions. */
async function listedOf<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  uids: readonly string[],
  excluded: readonly string[],
): Promise<ReadonlySet<string>> {
  const { partitionOf } = collection.description;
  if (excluded.length === 0 || partitionOf === undefined) return collection.existing(reader, uids);
  const partitions = await collection.findAll(reader, uids, partitionOf);
  return new Set(uids.filter((uid) => partitions.has(uid) && !excluded.includes(partitions.get(uid) ?? "")));
}

async function countsOfOne(
  reader: Reader,
  kinds: readonly CountedKind[],
  region: Region | undefined,
): Promise<number[]> {
  if (region === undefined || region.kind === "resource") return [0];
  let count = 0;
  for (const [n, kind] of kinds.entries()) count += (n === 0 ? 1 : -1) * (await countBelow(reader, kind, region));
  return [count];
}
