import type { PlatformSession } from "#src/platform-client/session.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import type { Sources } from "./sources.ts";

/** The most resources that a message names, and one more. */
const maxChildren = 6;

/**
 * The first resources that are known to be directly in `group`, each with its noun, its name and its uid; none unless the
 * platform refused to delete the group because of the state of a resource.
 */
export function childrenOf(
  { kinds }: Pick<Sources, "kinds">,
  session: PlatformSession,
  group: string,
  { failure }: ReconcileState,
): readonly string[] {
  const isRefused =
    failure?.step === "delete" &&
    failure.problem.kind === "rejected" &&
    failure.problem.error.code === "FAILED_PRECONDITION";
  if (!isRefused) return [];
  return kinds
    .flatMap(({ noun, collection }) =>
      session
        .viewOf(collection)
        .childrenOf(group)
        .slice(0, maxChildren)
        .map((external) => {
          const name = collection.nameOf(external);
          return name === undefined ? `${noun} ${external.uid}` : `${noun} "${name}" ${external.uid}`;
        }),
    )
    .slice(0, maxChildren);
}
