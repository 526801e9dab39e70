import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { createConnectRouter, createContextKey, createContextValues } from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Logger } from "pino";
import type { ResponseFault } from "../faults/fault-rule.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { bearerOf } from "../server/bearer.ts";
import { breakResponse } from "../server/break-response.ts";
import type { NodeHandler } from "../server/http-handler.ts";
import type { CallRunner } from "../service/call-runner.ts";
import type { Operation } from "../service/operations.ts";
import type { Readiness } from "../service/readiness.ts";
import { checkMessage } from "./check-message.ts";
import { grpcErrorOf } from "./grpc-error.ts";
import { mountHealth } from "./health.ts";
import { mountReflection } from "./reflection.ts";
import { rejectingUnreadable } from "./unreadable-message.ts";
import { VendorAlias } from "./vendor-alias.ts";

/** Breaks the response of a call. Handlers have no access to the response itself. */
const breaker = createContextKey<(fault: ResponseFault) => void>(() => {});

/** The same limit as over REST. */
const maximumMessageBytes = 1024 * 1024;

export interface GrpcOptions {
  readonly errorDomain: string;
  /** A vendor under whose package names (`<vendor>.platform…`) the same methods are served too. */
  readonly vendorAlias: string | undefined;
  readonly readiness: Readiness;
  readonly log: Logger;
}

/**
 * Serves the operations over gRPC, gRPC-web and Connect, and the standard services health and reflection.
 */
export function grpcHandler(operations: readonly Operation[], runner: CallRunner, options: GrpcOptions): NodeHandler {
  const { errorDomain, vendorAlias, readiness, log } = options;
  const alias = vendorAlias === undefined ? undefined : new VendorAlias(vendorAlias);
  const services = [...new Set(operations.map(({ method }) => method.parent))];
  const names = services.map(({ typeName }) => typeName);
  const router = createConnectRouter({
    readMaxBytes: maximumMessageBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
    // Discard unknown fields, which would otherwise be stored invisibly.
    binaryOptions: { readUnknownFields: false },
  });
  for (const operation of operations)
    router.rpc(operation.method as DescMethodUnary, async (request: Message, { requestHeader, values }) => {
      const bearer = bearerOf(requestHeader.get("authorization"));
      const run = async () => {
        checkMessage(operation.method.input, request);
        return operation.invoke(request, bearer);
      };
      const traceparent = requestHeader.get("traceparent") ?? undefined;
      const result = await runner.run(async () => ({ operation: operation.name, run }), traceparent);
      if (result.responseFault !== undefined) values.get(breaker)(result.responseFault);
      // The stream is reset: there is nothing left to send.
      if (result.responseFault === "reset") return new Promise<never>(() => {});
      if (result.kind === "error") throw grpcErrorOf(result.error, errorDomain);
      return result.value;
    });
  mountHealth(router, alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))], readiness);
  mountReflection(router, [...services, Health], alias, readiness.stopping);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, rejectingUnreadable(handler)]));
  return (request, response) => {
    // An alias differs only in the path.
    if (alias !== undefined) request.url = alias.contractPath(request.url ?? "");
    const handler = handlers.get((request.url ?? "").replace(/\?.*$/s, ""));
    if (handler === undefined) {
      response.writeHead(404).end();
      return;
    }
    const breakThis = (fault: ResponseFault) => breakResponse(request, response, fault);
    const values = createContextValues().set(breaker, breakThis);
    handler(universalRequestFromNodeRequest(request, response, undefined, values))
      .then((result) => universalResponseToNodeResponse(result, response))
      .catch((error: unknown) => {
        // Handlers convert their own errors to responses, so the client has disconnected.
        log.debug({ err: error }, "response could not be sent");
        response.destroy();
      });
  };
}

/** Whether the path has the form `/package.Service/Method`. No REST path but `/.well-known` has a dot in its first segment. */
export function isGrpcPath(path: string): boolean {
  return /^\/[a-zA-Z]\w*(\.\w+)+\/\w+$/.test(path);
}

/** Whether the method streams. Only methods of the standard services do. */
export function isStreamPath(path: string): boolean {
  return path === "/grpc.health.v1.Health/Watch" || path.startsWith("/grpc.reflection.");
}
