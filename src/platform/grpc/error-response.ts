import { createConnectRouter, createContextKey, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { type ApiError, unimplemented } from "../errors/api-error.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { grpcErrorOf } from "./grpc-error.ts";

const refusal = createContextKey<ApiError>(unimplemented("unknown method"));

/** The content types of gRPC and gRPC-web, and those of Connect for calls without streams. */
const supported = /^application\/(grpc(-web)?(\+(proto|json))?|proto|json)(; ?charset=utf-?8)?$/i;

/**
 * Error responses to calls that have no method, or whose request is not read. The library formats only the errors of its
 * methods, so this is a method that is refused before its request is read.
 */
export class ErrorResponses {
  readonly #handler: UniversalHandler;

  constructor(errorDomain: string) {
    const router = createConnectRouter({
      requestGate: ({ values }) => {
        throw grpcErrorOf(values.get(refusal), errorDomain);
      },
    });
    // Any method without streams would do.
    router.rpc(Health.method.check, () => ({}));
    const [handler] = router.handlers;
    if (handler === undefined) throw new Error("the router has no handler");
    this.#handler = handler;
  }

  /** The response in the protocol of the request, or in that of Connect with JSON if its content type is of no protocol. */
  of(error: ApiError, request: UniversalServerRequest): Promise<UniversalServerResponse> {
    const contentType = request.header.get("content-type") ?? "";
    return this.#handler({
      ...request,
      method: "POST",
      header: new Headers({ "content-type": supported.test(contentType) ? contentType : "application/json" }),
      body: nothing(),
      contextValues: createContextValues().set(refusal, error),
    });
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
