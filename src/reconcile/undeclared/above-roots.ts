import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Peek } from "#src/platform-client/session-lists.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import { ancestorsOfAll } from "./ancestors.ts";

/** The role bindings directly in each group above a session's roots; null where they may not be listed. */
export type RoleBindingsAbove = ReadonlyMap<string, readonly ExternalResource[] | null>;

/**
 * Lists the role bindings in the groups above the session's roots: they grant in everything below.
 * @returns what was listed, once it is confirmed (`Peek`). Of a group whose list fails, what `before` says is kept, or nothing.
 */
export async function listAbove(
  session: PlatformSession,
  kinds: readonly Kind[],
  before: RoleBindingsAbove = new Map(),
): Promise<() => Promise<RoleBindingsAbove>> {
  const collection = kinds.find(({ name }) => name === "RoleBinding")?.collection;
  if (collection === undefined) return async () => new Map();
  const outside = (group: string) => !session.roots.some((root) => isWithin(group, root));
  const peeks = new Map<string, Peek<ExternalResource>>();
  for (const group of ancestorsOfAll(session.roots).filter(outside)) {
    const peek = session.peek(collection, collection.listCapability, { childrenOf: group });
    peeks.set(group, await peek.catch((error: unknown) => () => Promise.reject(error)));
  }
  return async () => {
    const above = new Map<string, readonly ExternalResource[] | null>();
    for (const [group, confirm] of peeks)
      try {
        above.set(group, (await confirm()) ?? null);
      } catch {
        above.set(group, before.get(group) ?? null);
      }
    return above;
  };
}
