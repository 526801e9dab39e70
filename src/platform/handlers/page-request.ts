import { clone, type DescMessage, type Message, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import type { Order } from "../resources/order.ts";

const defaultPageSize = 50;
const maximumPageSize = 200;

/** The part of a List request that all Lists share. */
export type PageRequest = Message & {
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** The bytes of the resources of a page. It leaves room for what is around them. */
export const pageBytes = sizeLimits.page.value - 16 * 1024;

/** The number of resources of a page. @throws ApiError (3) if a number of the request is not valid */
export function pageSizeOf({ pageSize, skip }: PageRequest, maximumSkip: number): number {
  if (pageSize < 0) throw invalidArgument("page_size", "must not be negative");
  if (skip < 0) throw invalidArgument("skip", "must not be negative");
  if (skip > maximumSkip) throw invalidArgument("skip", `must be at most ${maximumSkip}; follow nextPageToken instead`);
  return pageSize === 0 ? defaultPageSize : Math.min(pageSize, maximumPageSize);
}

/** The query that a page token is bound to: the request without page token, size and skip. */
export function queryOf<R extends DescMessage>(
  schema: R,
  request: MessageShape<R> & PageRequest,
  { column, direction }: Order,
): string {
  const query = clone(schema, request) as MessageShape<R> & PageRequest;
  Object.assign(query, { pageSize: 0, pageToken: "", skip: 0, orderBy: `${column} ${direction}` });
  return `${schema.typeName} ${Buffer.from(toBinary(schema, query)).toString("base64url")}`;
}
