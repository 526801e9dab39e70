import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { ancestorsOfAll } from "./ancestors.ts";

/** The role bindings directly in each group above a session's roots; null where they may not be listed. */
export type RoleBindingsAbove = ReadonlyMap<string, readonly ExternalResource[] | null>;

/**
 * Lists the role bindings in the groups above the session's roots: they grant in everything below. Of a group whose list
 * fails, what `before` says is kept, or nothing.
 */
export async function listAbove(
  session: PlatformSession,
  kinds: readonly Kind[],
  before: RoleBindingsAbove = new Map(),
): Promise<RoleBindingsAbove> {
  const above = new Map<string, readonly ExternalResource[] | null>();
  const collection = kinds.find(({ name }) => name === "RoleBinding")?.collection;
  if (collection === undefined) return above;
  const outside = (group: string) => !session.roots.some((root) => isWithin(group, root));
  for (const group of ancestorsOfAll(session.roots).filter(outside))
    try {
      above.set(group, (await session.peek(collection, collection.listCapability, { childrenOf: group })) ?? null);
    } catch {
      above.set(group, before.get(group) ?? null);
    }
  return above;
}
