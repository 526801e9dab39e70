import type { RecordedChange } from "./recorded-writes.ts";

/** What a role binding has granted in a period before it was changed or deleted: one of the roles, to one of the identities. */
export interface EarlierGrants {
  readonly identities: ReadonlySet<string>;
  readonly roles: ReadonlySet<string>;
}

const none: EarlierGrants = { identities: new Set(), roles: new Set() };

/**
 * Passes changes on, and notes what they say of role bindings that were changed or deleted.
 * @param grants where it notes it, by the uids of the role bindings: it gets one entry for each of these
 */
export async function* notingGrants<T extends RecordedChange>(
  changes: AsyncIterable<T> | Iterable<T>,
  grants: Map<string, EarlierGrants>,
): AsyncGenerator<T> {
  for await (const change of changes) {
    const { action, resource, resourceType } = change;
    if (resourceType === "role binding" && action !== "create") {
      const { identities, roles } = grants.get(resource) ?? none;
      grants.set(resource, {
        identities: new Set([...identities, ...uidsIn(change, "identityUid")]),
        roles: new Set([...roles, ...uidsIn(change, "roleUid")]),
      });
    }
    yield change;
  }
}

function uidsIn({ changes }: RecordedChange, field: string): readonly string[] {
  const { new: next, old } = changes[field] ?? {};
  return [old, next].filter((uid) => typeof uid === "string");
}
