import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { bearerOf } from "../server/bearer.ts";
import type { CallRunner } from "../server/call-runner.ts";
import type { NodeHandler } from "../server/http-server.ts";
import type { Operation } from "../service/operations.ts";
import { grpcErrorOf } from "./grpc-error.ts";

/** As over REST. */
const maximumMessageBytes = 1024 * 1024;

export interface GrpcOptions {
  readonly errorDomain: string;
  /** Under whose package names (`<vendor>.platform…`) the same methods are served too. */
  readonly vendorAlias: string | undefined;
}

/** gRPC, gRPC-web and Connect for every method of the contract: handlers are mounted, nothing is written again. */
export function grpcHandler(operations: readonly Operation[], runner: CallRunner, options: GrpcOptions): NodeHandler {
  const handler = connectNodeAdapter({
    readMaxBytes: maximumMessageBytes,
    routes: (router) => {
      for (const operation of operations)
        router.rpc(operation.method as DescMethodUnary, async (request: Message, { requestHeader }) => {
          const outcome = await runner.run((named) => {
            named(operation.name);
            return operation.invoke(request, bearerOf(requestHeader.get("authorization")));
          });
          if (outcome.kind === "error") throw grpcErrorOf(outcome.error, options.errorDomain);
          return outcome.value;
        });
    },
  });
  const alias = options.vendorAlias === undefined ? undefined : `/${options.vendorAlias}.platform.`;
  return (request, response) => {
    // The messages on the wire do not carry the vendor: another package name is another path.
    if (alias !== undefined && request.url?.startsWith(alias))
      request.url = `/muster.platform.${request.url.slice(alias.length)}`;
    handler(request, response);
  };
}

/** `/package.Service/Method`: no path of the REST API has a dot in its first segment but `/.well-known`. */
export function isGrpcPath(path: string): boolean {
  return /^\/[a-zA-Z]\w*(\.\w+)+\/\w+$/.test(path);
}
