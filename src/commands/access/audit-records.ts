import * as z from "zod";
import type { ReadApi } from "#src/platform-client/api.ts";
import type { ExternalResource, ResourceType } from "#src/platform-client/collection.ts";
import { childUids } from "#src/platform-client/uid.ts";
import type { AuthoredChange } from "#src/access/used-writes.ts";

/** What is read of a record of the platform's audit log. */
export interface AuditRecord extends ExternalResource, AuthoredChange {
  /** RFC 3339. */
  readonly createTime: string;
}

const text = z.string().default("");
const value = z.unknown().optional();
const record = z
  .object({
    id: z.string(),
    createTime: z.iso.datetime(),
    actor: z.object({ name: text }).default({ name: "" }),
    action: text,
    resourceType: text,
    resource: text,
    changes: z.record(z.string(), z.object({ old: value, new: value })).default({}),
  })
  // The log has no uids; each record has an id.
  .transform(({ id, ...rest }): AuditRecord => ({ uid: id, ...rest }));

const records = { name: "records", api: "audit/v1beta1", schema: record, uids: childUids } satisfies ResourceType;

/** More pages are not read: 200 records each, or fewer where the platform has examined 10,000. */
const maxPages = 20_000;

export interface RecordSelection {
  /** Milliseconds since the epoch. Absent: all that are kept. */
  readonly since?: number;
  /** A uid, which stands for itself and everything below it. Absent: everything that the caller can read. */
  readonly resource?: string | undefined;
  /** A method, or its end after a dot. Absent: all methods. */
  readonly method?: string;
}

/**
 * The records of successful calls that the caller can read, oldest first, one page after the other. It does not use
 * `listAll`: records are ordered by time, and a log is too large to be kept in memory.
 * @throws {PlatformFailure}
 * @throws {Error} if there are too many
 */
export async function* auditRecords(
  api: Pick<ReadApi, "list">,
  { method, resource, since }: RecordSelection,
  signal: AbortSignal,
): AsyncGenerator<AuditRecord> {
  const filter = {
    order_by: "created_at",
    code: "0",
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(resource === undefined ? {} : { resource }),
    ...(method === undefined ? {} : { method }),
  };
  let pageToken: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await api.list(records, { filter, ...(pageToken === undefined ? {} : { pageToken }) }, signal);
    yield* page.resources;
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return;
  }
  throw new Error(`--days: the audit log has more than ${maxPages} pages in this time: give --group, or fewer days`);
}
