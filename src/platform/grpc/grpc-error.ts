import { create } from "@bufbuild/protobuf";
import { DurationSchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import type { ApiError, ErrorDetail } from "../errors/api-error.ts";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  QuotaFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "../gen/google/rpc/error_details_pb.ts";

type OutgoingDetail = NonNullable<ConstructorParameters<typeof ConnectError>[3]>[number];

/** The error for gRPC, gRPC-web and Connect, with the same code, message and details as over REST. */
export function grpcErrorOf(error: ApiError, domain: string): ConnectError {
  const info: OutgoingDetail = { desc: ErrorInfoSchema, value: { reason: error.reason, domain } };
  const details = error.detail === undefined ? [info] : [info, payloadOf(error.detail)];
  return new ConnectError(error.message, error.code, undefined, details);
}

function payloadOf(detail: ErrorDetail): OutgoingDetail {
  switch (detail.kind) {
    case "badRequest":
      return {
        desc: BadRequestSchema,
        value: { fieldViolations: [{ field: detail.field, description: detail.description }] },
      };
    case "precondition":
      return {
        desc: PreconditionFailureSchema,
        value: { violations: [{ type: detail.type, description: detail.description }] },
      };
    case "resource":
      return { desc: ResourceInfoSchema, value: { resourceType: detail.resourceType, resourceName: detail.uid } };
    case "quota":
      return {
        desc: QuotaFailureSchema,
        value: { violations: [{ subject: detail.subject, description: detail.description }] },
      };
    case "retry":
      return {
        desc: RetryInfoSchema,
        value: { retryDelay: create(DurationSchema, { seconds: BigInt(detail.seconds) }) },
      };
  }
}
