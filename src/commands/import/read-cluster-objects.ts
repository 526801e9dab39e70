import type { Resource } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import type { CommandContext } from "#src/commands/command.ts";
import { forEachObject } from "#src/commands/reader/for-each-object.ts";
import {
  type OptionalClusterValues,
  type OptionalReading,
  readOptionalCluster,
} from "#src/commands/reader/optional-cluster.ts";
import type { ReadBudget } from "#src/commands/reader/read-budget.ts";
import type { ClusterObjects } from "#src/import/declared-resources.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { withoutBulk } from "#src/kube/object.ts";

/**
 * Reads the objects of the cluster that may declare something already, in pages.
 * @throws {KubeConfigError} if the settings name a cluster to which no connection can be configured
 * @throws {TooMuchToRead}
 */
export function readClusterObjects(
  kinds: readonly Kind[],
  values: OptionalClusterValues,
  context: Pick<CommandContext, "env" | "signal">,
  budget: ReadBudget,
): Promise<OptionalReading<readonly ClusterObjects[]>> {
  return readOptionalCluster(values, context, kinds.length, async (kube) => {
    const found = kinds.map((kind) => ({ kind, objects: [] as Resource[] }));
    const byName = new Map(found.map((one) => [one.kind.name, one.objects]));
    await forEachObject(
      budget.cluster(kube),
      kinds.map(({ definition }) => resourceKindOf(definition)),
      ({ kind }, object) => byName.get(kind)?.push(withoutBulk(object) as Resource),
      context.signal,
    );
    return found;
  });
}
