import * as settings from "#src/commands/settings/settings.ts";
import type { KubeApi } from "#src/kube/api.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import type { ListScope, ReadApi, ResourcePage } from "#src/platform-client/api.ts";
import type { ResourceType } from "#src/platform-client/collection.ts";
import { TooMuchToRead } from "./read-budget.ts";

const defaultMaxObjects = 200_000;

/** How many objects of a cluster, and how many resources of a platform, a command reads at most. */
export const maxObjects = settings.flagOnly(
  settings.withDefault(
    settings.integer(1, 100_000_000),
    String(defaultMaxObjects),
    "Read nothing if the cluster, or the platform, has more objects than this.",
  ),
);

/** How many there are, by their plural. What cannot be counted is left out: the list that follows reports why. */
type Counts = readonly (readonly [plural: string, count: number])[];

export interface ObjectLimit {
  readonly maxObjects: number;
  /** How to read fewer, such as "read no cluster with --no-cluster". */
  readonly narrow: string;
}

/** Counts the objects of a cluster before they are read. @throws {TooMuchToRead} */
export async function requireFewObjects(
  kube: Pick<KubeApi, "list">,
  resources: readonly ResourceKind[],
  limit: ObjectLimit,
  signal: AbortSignal,
): Promise<void> {
  const counts = await counted(resources, async (resource) => {
    const { items, metadata } = await kube.list(resource, { signal, limit: 1 });
    return [resource.plural, items.length + (metadata.remainingItemCount ?? 0)];
  });
  requireFew("the cluster", counts, limit);
}

/**
 * Counts the resources of a platform before they are read, by the first pages of their lists.
 * @param scopes absent: all that the caller sees
 * @returns the reads of the platform, which repeat none of these pages @throws {TooMuchToRead}
 */
export async function requireFewResources(
  api: ReadApi,
  types: readonly ResourceType[],
  limit: ObjectLimit,
  signal: AbortSignal,
  scopes: readonly (ListScope | undefined)[] = [undefined],
): Promise<ReadApi> {
  const firstPages = new Map<ResourceType, Map<string, ResourcePage<never>>>(types.map((type) => [type, new Map()]));
  const lists = types.flatMap((type) => scopes.map((scope) => ({ type, query: scope === undefined ? {} : { scope } })));
  const counts = await counted(lists, async ({ query, type }) => {
    const page = await api.list(type, query, signal);
    firstPages.get(type)?.set(JSON.stringify(query), page as ResourcePage<never>);
    return [type.name, page.totalCount];
  });
  requireFew("the platform", counts, limit);
  return {
    get: (type, uid, end) => api.get(type, uid, end),
    list: async (type, query, end) => {
      const key = JSON.stringify(query);
      const page = firstPages.get(type)?.get(key);
      firstPages.get(type)?.delete(key);
      return page ?? api.list(type, query, end);
    },
  };
}

async function counted<T>(lists: readonly T[], count: (list: T) => Promise<Counts[number]>): Promise<Counts> {
  const outcomes = await Promise.allSettled(lists.map(count));
  return outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
}

function requireFew(where: string, counts: Counts, { maxObjects: maximum, narrow }: ObjectLimit): void {
  const byPlural = new Map<string, number>();
  for (const [plural, count] of counts) byPlural.set(plural, (byPlural.get(plural) ?? 0) + count);
  const total = [...byPlural.values()].reduce((sum, count) => sum + count, 0);
  if (total <= maximum) return;
  const parts = [...byPlural].toSorted(([, a], [, b]) => b - a).filter(([, count]) => count > 0);
  const list = parts.map(([plural, count]) => `${count.toLocaleString("en")} ${plural}`).join(", ");
  throw new TooMuchToRead(
    `${where} has ${total.toLocaleString("en")} objects (${list}), and --max-objects is ${maximum}, so nothing was read. To read fewer, ${narrow}. To read all of them, which takes minutes and gigabytes, give --max-objects=${total}`,
  );
}
