import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { bearerOf } from "../server/bearer.ts";
import type { CallRunner } from "../server/call-runner.ts";
import type { NodeHandler } from "../server/http-server.ts";
import type { Operation } from "../service/operations.ts";
import { grpcErrorOf } from "./grpc-error.ts";
import { mountHealth } from "./health.ts";
import { mountReflection } from "./reflection.ts";
import { VendorAlias } from "./vendor-alias.ts";

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
  const handler = connectNodeAdapter({
    readMaxBytes: maximumMessageBytes,
    routes: (router) => {
      for (const operation of operations)
        router.rpc(operation.method as DescMethodUnary, async (request: Message, { requestHeader }) => {
          const outcome = await runner.run((named) => {
            named(operation.name);
            return operation.invoke(request, bearerOf(requestHeader.get("authorization")));
          });
          if (outcome.kind === "error") throw grpcErrorOf(outcome.error, errorDomain);
          return outcome.value;
        });
      mountHealth(
        router,
        alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))],
        stopping,
      );
      mountReflection(router, [...services, Health], alias, stopping);
    },
  });
  if (alias === undefined) return handler;
  return (request, response) => {
    // Another package name is another path.
    request.url = alias.ownPath(request.url ?? "");
    handler(request, response);
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
