import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { createConnectRouter, createContextKey, createContextValues } from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { Logger } from "pino";
import type { ResponseFault } from "../faults/response-fault.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { bearerOf } from "../server/bearer.ts";
import { breakResponse } from "../server/break-response.ts";
import type { CallRunner } from "../service/call-runner.ts";
import type { NodeHandler } from "../server/http-handler.ts";
import type { Operation } from "../service/operations.ts";
import { checkMessage } from "./check-message.ts";
import { grpcErrorOf } from "./grpc-error.ts";
import { mountHealth } from "./health.ts";
import { mountReflection } from "./reflection.ts";
import { blamingTheCaller } from "./unreadable-message.ts";
import { VendorAlias } from "./vendor-alias.ts";

/** Breaks the response of a call. Handlers have no access to the response itself. */
const breaker = createContextKey<(fault: ResponseFault) => void>(() => {});

/** As over REST. */
const maximumMessageBytes = 1024 * 1024;

export interface GrpcOptions {
  readonly errorDomain: string;
  /** Under whose package names (`<vendor>.platform…`) the same methods are served too. */
  readonly vendorAlias: string | undefined;
  /** Aborted when the platform is to get no more calls. */
  readonly stopping: AbortSignal;
  readonly log: Logger;
}

/**
 * gRPC, gRPC-web and Connect for every method of the contract: handlers are mounted, nothing is written again. Beside
 * them the standard services that tools look for: health and reflection.
 */
export function grpcHandler(operations: readonly Operation[], runner: CallRunner, options: GrpcOptions): NodeHandler {
  const { errorDomain, vendorAlias, stopping, log } = options;
  const alias = vendorAlias === undefined ? undefined : new VendorAlias(vendorAlias);
  const services = [...new Set(operations.map(({ method }) => method.parent))];
  const names = services.map(({ typeName }) => typeName);
  const router = createConnectRouter({
    readMaxBytes: maximumMessageBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
    // What the contract does not have is not kept, where nobody could see it.
    binaryOptions: { readUnknownFields: false },
  });
  for (const operation of operations)
    router.rpc(operation.method as DescMethodUnary, async (request: Message, { requestHeader, values }) => {
      const bearer = bearerOf(requestHeader.get("authorization"));
      const run = async () => {
        checkMessage(operation.method.input, request);
        return operation.invoke(request, bearer);
      };
      const result = await runner.run(async () => ({ operation: operation.name, run }));
      if (result.responseFault !== undefined) values.get(breaker)(result.responseFault);
      // The stream is reset: there is nothing left to send.
      if (result.responseFault === "reset") return new Promise<never>(() => {});
      if (result.kind === "error") throw grpcErrorOf(result.error, errorDomain);
      return result.value;
    });
  mountHealth(router, alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))], stopping);
  mountReflection(router, [...services, Health], alias, stopping);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, blamingTheCaller(handler)]));
  return (request, response) => {
    // Another package name is another path.
    if (alias !== undefined) request.url = alias.ownPath(request.url ?? "");
    const handler = handlers.get((request.url ?? "").replace(/\?.*$/s, ""));
    if (handler === undefined) {
      response.writeHead(404).end();
      return;
    }
    const breakThis = (fault: ResponseFault) => breakResponse(request, response, fault);
    const values = createContextValues().set(breaker, breakThis);
    handler(universalRequestFromNodeRequest(request, response, undefined, values))
      .then((answer) => universalResponseToNodeResponse(answer, response))
      .catch((error: unknown) => {
        // The handlers answer their own errors; what is left is a client that went away.
        log.debug({ err: error }, "an answer could not be sent");
        response.destroy();
      });
  };
}

/** `/package.Service/Method`: no path of the REST API has a dot in its first segment but `/.well-known`. */
export function isGrpcPath(path: string): boolean {
  return /^\/[a-zA-Z]\w*(\.\w+)+\/\w+$/.test(path);
}

/** The methods that stream: those of the standard services. */
export function isStreamPath(path: string): boolean {
  return path === "/grpc.health.v1.Health/Watch" || path.startsWith("/grpc.reflection.");
}
