import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../authorization/capability.ts";
import { recordsWithin } from "../audit/read-records.ts";
import { messageOf } from "../audit/record-message.ts";
import { queryRecords } from "../audit/record-query.ts";
import { retentionOf } from "../audit/retention-position.ts";
import { isUid } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import {
  type ListRecordsRequest,
  ListRecordsRequestSchema,
  type ListRecordsResponse,
  ListRecordsResponseSchema,
  RecordsService,
} from "../gen/muster/platform/audit/v1beta1/record_pb.ts";
import { pageBytes, pageSizeOf, queryOf } from "../handlers/page-request.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { readOrder } from "../resources/order.ts";
import { implement, type Service } from "../service/service.ts";
import type { Transaction, Transactions } from "../service/transaction.ts";

/** The audit log. Other platforms of this family lack it, so gRPC does not serve it. */
export function recordsService(transactions: Transactions): Service {
  const listRecords = (request: ListRecordsRequest, call: Parameters<Transactions["read"]>[0]) =>
    transactions.read(call, (transaction) => page(transaction, request));
  return implement(RecordsService, { listRecords }, "rest");
}

async function page(
  { tx, access, pageTokens, now }: Transaction,
  request: ListRecordsRequest,
): Promise<ListRecordsResponse> {
  const { actor, method, resource, code, since, skip } = request;
  const size = pageSizeOf(request, sizeLimits.auditScan.value);
  if (resource !== "" && !isUid(resource)) throw invalidArgument("resource", "must be a uid");
  const order = readOrder(request.orderBy, ["create_time"], { column: "create_time", direction: "asc" });
  const query = queryOf(ListRecordsRequestSchema, request, order);
  const cursor = request.pageToken === "" ? undefined : pageTokens.read(request.pageToken, query, now);
  const found = await queryRecords(tx, {
    coverage: access.coverage(Capability.CAP_AUDIT_LIST),
    filter: {
      actor: actor || undefined,
      method: method || undefined,
      resource: resource || undefined,
      code,
      since: since === undefined ? undefined : timestampMs(since),
    },
    direction: order.direction,
    cursor: cursor === undefined ? undefined : Number(cursor.sort),
    skip,
    limit: size + 1,
  });
  const records = await recordsWithin(tx, found.sequences.slice(0, size), pageBytes);
  const last = records.length < found.sequences.length ? records.at(-1)?.sequence : found.examinedUntil;
  const { completeSince } = await retentionOf(tx);
  return create(ListRecordsResponseSchema, {
    records: records.map(messageOf),
    ...(last === undefined ? {} : { nextPageToken: pageTokens.issue(query, { sort: last, uid: "" }, now) }),
    totalCount: BigInt(found.totalCount),
    skipped: skip,
    ...(completeSince === undefined ? {} : { completeSince: timestampFromMs(completeSince) }),
  });
}
