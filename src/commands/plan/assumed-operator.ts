import { type ListQuery, type ReadApi, type ResourcePage } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { isRejection } from "#src/platform-client/failure.ts";
import { listAll } from "#src/platform-client/list-all.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { identities, roleBindings, roles } from "#src/platform-client/permission-resources.ts";

/** The last segment of the uids of role bindings that are assumed: the platform draws segments at random. */
const assumedSegment = "f".repeat(16);
const assumedRole = "owner";

export interface AssumedOperator {
  /** The uid of the operator's identity. */
  readonly identity: string;
  /** The owner that it records. */
  readonly owner: string;
  /** The groups in which it has the role owner. */
  readonly groups: readonly string[];
}

/**
 * Reads for a caller who may not see the operator's identity and its role bindings. Where the platform shows none, they are as they
 * should be. Everything else is what the platform returns.
 */
export function withAssumedOperator(reads: ReadApi, { groups, identity, owner }: AssumedOperator): ReadApi {
  return {
    async get<R extends ExternalResource>(type: ResourceType<R>, uid: string, signal: AbortSignal): Promise<R> {
      try {
        return await reads.get(type, uid, signal);
      } catch (error) {
        const isOperator = type.name === identities && uid === identity;
        if (!isOperator || !(isRejection(error, "NOT_FOUND") || isRejection(error, "PERMISSION_DENIED"))) throw error;
        return type.schema.parse({ uid, name: "", description: withRecordedOwner("", owner) });
      }
    },
    async list<R extends ExternalResource>(
      type: ResourceType<R>,
      query: ListQuery,
      signal: AbortSignal,
    ): Promise<ResourcePage<R>> {
      const page = await reads.list(type, query, signal);
      const isOfOperator = type.name === roleBindings.name && query.filter?.["identity"] === identity;
      if (!isOfOperator || page.totalCount > 0) return page;
      const { resources: known } = await listAll(reads, roles, {}, signal);
      const role = known.find(({ name, uid }) => name === assumedRole && roles.uids.parentOf(uid) === undefined);
      if (role === undefined) return page;
      const assumed = groups.toSorted().map((group) =>
        type.schema.parse({
          uid: `${group}/${assumedSegment}`,
          identity: { uid: identity, name: "" },
          role: { uid: role.uid, name: role.name },
        }),
      );
      return { resources: assumed, totalCount: assumed.length };
    },
  };
}
