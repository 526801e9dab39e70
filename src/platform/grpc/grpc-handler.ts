import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from "@connectrpc/connect";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { ServerResponse } from "node:http";
import type { Logger } from "pino";
import { invalidArgument, unimplemented } from "../errors/api-error.ts";
import { bodyTooLarge } from "../server/body-too-large.ts";
import type { ResponseFault } from "../faults/fault-rule.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import { bearerOf } from "../server/bearer.ts";
import { breakResponse } from "../server/break-response.ts";
import type { HttpRequest, IncomingCall, RpcHandler } from "../server/http-handler.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { portLimits } from "../server/port-limits.ts";
import { rejectionErrors } from "../server/request-rejection.ts";
import type { CallOrigin, CallRunner } from "../service/call-runner.ts";
import type { CallSlot } from "../service/call-slots.ts";
import type { AuthenticatedCall, Operation } from "../service/operations.ts";
import { completed } from "../service/rest-of-list.ts";
import type { Readiness } from "../service/readiness.ts";
import { boundedBody } from "./bounded-body.ts";
import { checkMessage } from "./check-message.ts";
import { ErrorResponses } from "./error-response.ts";
import { grpcErrorOf } from "./grpc-error.ts";
import { mountHealth } from "./health.ts";
import { mountReflection, nextTurn } from "./reflection.ts";
import { rejectingUnreadable } from "./unreadable-message.ts";
import { VendorAlias } from "./vendor-alias.ts";

/** Breaks the response of a call. Handlers have no access to the response itself. */
const breaker = createContextKey<(fault: ResponseFault) => void>(() => {});
/** The address of the client of a call. */
const clientAddress = createContextKey("unknown");
/** The call, once its caller is authenticated. */
const authenticated = createContextKey<AuthenticatedCall | undefined>(undefined);

export interface GrpcOptions {
  readonly errorDomain: string;
  /** A vendor under whose package names (`<vendor>.platform…`) the same methods are served too. */
  readonly vendorAlias: string | undefined;
  /** How to treat fields that the contract does not have. */
  readonly unknownFields: "refuse" | "ignore";
  readonly readiness: Readiness;
  readonly log: Logger;
}

/**
 * Serves the operations over gRPC, gRPC-web and Connect, and the standard services health and reflection.
 */
export function grpcHandler(operations: readonly Operation[], runner: CallRunner, options: GrpcOptions): RpcHandler {
  const { errorDomain, vendorAlias, readiness, log } = options;
  const alias = vendorAlias === undefined ? undefined : new VendorAlias(vendorAlias);
  const services = [...new Set(operations.map(({ method }) => method.parent))];
  const names = services.map(({ typeName }) => typeName);
  const router = operationsRouter(operations, runner, options);
  mountHealth(router, alias === undefined ? names : [...names, ...names.map((name) => alias.nameOf(name))], readiness);
  mountReflection(router, [...services, Health], alias, readiness.stopping);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, rejectingUnreadable(handler)]));
  const errors = new ErrorResponses(errorDomain);

  const handlerOf = (request: HttpRequest): UniversalHandler | undefined => {
    // An alias differs only in the path.
    if (alias !== undefined) request.url = alias.contractPath(request.url ?? "");
    return handlers.get((request.url ?? "").replace(/\?.*$/s, ""));
  };
  const respond = (response: ServerResponse, result: Promise<UniversalServerResponse>) => {
    result
      .then((universal) => universalResponseToNodeResponse(universal, response))
      .catch((error: unknown) => {
        // Handlers convert their own errors to responses, so the client has disconnected.
        log.debug({ err: error }, "response could not be sent");
        response.destroy();
      });
  };
  const call = async (
    request: HttpRequest,
    universal: UniversalServerRequest,
    { readBody, address, reserve }: IncomingCall,
  ): Promise<UniversalServerResponse> => {
    const refuse = async (error: unknown) => {
      const traceparent = universal.header.get("traceparent") ?? undefined;
      const result = await runner.run(failing("unknown", error), { address, traceparent });
      if (result.kind === "error") return errors.of(result.error, universal);
      throw error;
    };
    const handler = handlerOf(request);
    if (handler === undefined) return refuse(unimplemented(`unknown method ${request.url}`));
    let body: Buffer | undefined;
    try {
      body = await readBody();
    } catch (error) {
      return refuse(error);
    }
    const tooLarge = () => grpcErrorOf(bodyTooLarge(), errorDomain);
    const tooManyValues = () =>
      grpcErrorOf(
        invalidArgument("body", `must have at most ${sizeLimits.values.value} fields and items`),
        errorDomain,
      );
    const checked =
      body === undefined ? failed(tooLarge()) : boundedBody(body, handler.method, universal.header, tooManyValues);
    const result = await handler({ ...universal, body: checked });
    const counted = await withSize(result);
    // The response to a change is sent in any case: the change was made.
    if (reserve(counted.size) || !isRead.test(request.url ?? "")) return counted.response;
    return errors.of(rejectionErrors.overloaded, universal);
  };
  return {
    call: (request, response, incoming) => {
      const breakThis = (fault: ResponseFault) => breakResponse(request, response, fault);
      const values = createContextValues().set(breaker, breakThis).set(clientAddress, incoming.address);
      const universal = universalRequestFromNodeRequest(request, response, undefined, values);
      respond(response, call(request, universal, incoming));
    },
    stream: (request, response, turn) => {
      const values = createContextValues().set(nextTurn, turn);
      const universal = universalRequestFromNodeRequest(request, response, undefined, values);
      const handler = handlerOf(request);
      const result =
        handler === undefined
          ? errors.of(unimplemented(`unknown method ${request.url}`), universal)
          : handler(universal);
      respond(response, result);
    },
    reject: (request, response, rejection) => {
      const universal = universalRequestFromNodeRequest(request, response, undefined, undefined);
      respond(response, errors.of(rejectionErrors[rejection], universal));
    },
  };
}

/** The operations as methods. Each authenticates its caller, then runs as a call. */
function operationsRouter(
  operations: readonly Operation[],
  runner: CallRunner,
  { errorDomain, unknownFields }: Pick<GrpcOptions, "errorDomain" | "unknownFields">,
): ConnectRouter {
  const operationOf = new Map(operations.map((operation) => [operation.method, operation]));
  const router = createConnectRouter({
    // A compressed message may be larger than its body.
    readMaxBytes: portLimits.bodyBytes,
    acceptCompression: [compressionGzip, compressionBrotli],
    // Unknown fields are read only to be refused. Otherwise they would be stored invisibly.
    binaryOptions: { readUnknownFields: unknownFields === "refuse" },
    jsonOptions: { ignoreUnknownFields: unknownFields === "ignore" },
    // A missing or invalid token is reported before anything in the request is judged.
    requestGate: async (context) => {
      const operation = operationOf.get(context.method);
      if (operation === undefined) return;
      try {
        context.values.set(
          authenticated,
          await operation.authenticate(bearerOf(context.requestHeader.get("authorization"))),
        );
      } catch (error) {
        const result = await runner.run(failing(operation.name, error), originOf(context));
        throw result.kind === "error" ? grpcErrorOf(result.error, errorDomain) : error;
      }
    },
  });
  for (const operation of operations)
    router.rpc(operation.method as DescMethodUnary, async (request: Message, context) => {
      const call = context.values.get(authenticated);
      if (call === undefined) throw new Error("the caller was not authenticated");
      const read = () => {
        checkMessage(operation.method.input, request);
        return request;
      };
      const find = async () => ({
        operation: operation.name,
        run: async (slot: CallSlot) => completed(operation.method.output, await call(slot, read)),
      });
      const result = await runner.run(find, originOf(context));
      if (result.responseFault !== undefined) context.values.get(breaker)(result.responseFault);
      // The stream is reset: there is nothing left to send.
      if (result.responseFault === "reset") return new Promise<never>(() => {});
      if (result.kind === "error") throw grpcErrorOf(result.error, errorDomain);
      return result.value;
    });
  return router;
}

/** The methods that change nothing. */
const isRead = /\/(Get|List|Lookup)\w*$/;

/** The response, and the bytes of its first piece, which for a call without streams is its message. */
async function withSize(response: UniversalServerResponse) {
  const pieces = response.body?.[Symbol.asyncIterator]();
  const first = await pieces?.next();
  if (pieces === undefined || first === undefined || first.done === true) return { size: 0, response };
  const body = async function* () {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => pieces };
  };
  return { size: first.value.length, response: { ...response, body: body() } };
}

/** A call that fails before its operation runs. */
function failing(operation: string, error: unknown) {
  return async () => ({ operation, run: () => Promise.reject<Message>(error) });
}

function originOf({ values, requestHeader }: HandlerContext): CallOrigin {
  return { address: values.get(clientAddress), traceparent: requestHeader.get("traceparent") ?? undefined };
}

// oxlint-disable-next-line require-yield -- the error takes the place of the body
async function* failed(error: Error): AsyncGenerator<Uint8Array> {
  throw error;
}
