import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import type { ServerResponse } from "node:http";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { bearerOf } from "../server/bearer.ts";
import { breakAnswer, type Breakage } from "../server/broken-answer.ts";
import type { CallRunner } from "../server/call-runner.ts";
import type { NodeHandler } from "../server/http-server.ts";
import type { Operation } from "../service/operations.ts";
import { checkMessage } from "./check-message.ts";
import { grpcErrorOf } from "./grpc-error.ts";
import { mountHealth } from "./health.ts";
import { mountReflection } from "./reflection.ts";
import { blamingTheCaller } from "./unreadable-message.ts";
import { VendorAlias } from "./vendor-alias.ts";

/** Breaks the answer of a call, which a handler cannot see. */
const breaker = createContextKey<(breakage: Breakage) => void>(() => {});

/** As over REST. */
const maximumMessageBytes = 1024 * 1024;

export interface GrpcOptions {
  readonly errorDomain: string;
  /** Under whose package names (`<vendor>.platform…`) the same methods are served too. */
  readonly vendorAlias: string | undefined;
  /** Aborted when the platform is to get no more calls. */
  readonly stopping: AbortSignal;
}

/**
 * gRPC, gRPC-web and Connect for every method of the contract: handlers are mounted, nothing is written again. Beside
 * them the standard services that tools look for: health and reflection.
 */
export function grpcHandler(operations: readonly Operation[], runner: CallRunner, options: GrpcOptions): NodeHandler {
  const { errorDomain, vendorAlias, stopping } = options;
  const alias = vendorAlias === undefined ? undefined : new VendorAlias(vendorAlias);
  const services = [...new Set(operations.map(({ method }) => method.parent))];
  const names = services.map(({ typeName }) => typeName);
  const responses = new WeakMap<object, ServerResponse>();
  const mounted = connectNodeAdapter({
    readMaxBytes: maximumMessageBytes,
    // What the contract does not have is not kept, where nobody could see it.
    binaryOptions: { readUnknownFields: false },
    contextValues: (request) =>
      createContextValues().set(breaker, (breakage) => {
        const response = responses.get(request);
        if (response !== undefined) breakAnswer(request, response, breakage);
      }),
    routes: (router) => {
      for (const operation of operations)
        router.rpc(operation.method as DescMethodUnary, async (request: Message, { requestHeader, values }) => {
          const bearer = bearerOf(requestHeader.get("authorization"));
          const run = async () => {
            checkMessage(operation.method.input, request);
            return operation.invoke(request, bearer);
          };
          const outcome = await runner.run(async () => ({ operation: operation.name, run }));
          if (outcome.breakage !== undefined) values.get(breaker)(outcome.breakage);
          // Nothing is sent of it any more.
          if (outcome.breakage === "reset") return new Promise<never>(() => {});
          if (outcome.kind === "error") throw grpcErrorOf(outcome.error, errorDomain);
          return outcome.value;
        });
      mountHealth(
        router,
        alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))],
        stopping,
      );
      mountReflection(router, [...services, Health], alias, stopping);
      router.handlers.splice(0, Infinity, ...router.handlers.map(blamingTheCaller));
    },
  });
  return (request, response) => {
    responses.set(request, response);
    // Another package name is another path.
    if (alias !== undefined) request.url = alias.ownPath(request.url ?? "");
    mounted(request, response);
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
