import { Code, ConnectError, type ConnectRouter, createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { DescriptorFiles } from "./descriptor-files.ts";
import type { VendorAlias } from "./vendor-alias.ts";

/** The maximum number of requests on one stream, more than any tool sends. */
const maximumRequests = 1_000;

/** Resolves when a stream may respond to its next request. */
export const nextTurn = createContextKey<() => Promise<void>>(async () => {});

/** The part of a request that both versions of the service share. */
interface ReflectionRequest {
  readonly host: string;
  readonly messageRequest:
    | { readonly case: "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType"; readonly value: string }
    | { readonly case: "listServices"; readonly value: string }
    | {
        readonly case: "fileContainingExtension";
        readonly value: { readonly containingType: string; readonly extensionNumber: number };
      }
    | { readonly case: undefined; readonly value?: undefined };
}

type ReflectionResponse =
  | { readonly case: "fileDescriptorResponse"; readonly value: { readonly fileDescriptorProto: Uint8Array[] } }
  | { readonly case: "listServicesResponse"; readonly value: { readonly service: { readonly name: string }[] } }
  | {
      readonly case: "allExtensionNumbersResponse";
      readonly value: { readonly baseTypeName: string; readonly extensionNumber: number[] };
    }
  | { readonly case: "errorResponse"; readonly value: { readonly errorCode: number; readonly errorMessage: string } };

/**
 * Server reflection in v1, and in v1alpha for older tools. With a vendor alias, all services of the platform are also
 * described under the names of the vendor.
 * @param stopping ends open streams
 */
export function mountReflection(
  router: ConnectRouter,
  services: readonly DescService[],
  alias: VendorAlias | undefined,
  stopping: AbortSignal,
): void {
  // Created lazily: most platforms are never asked for it.
  let files: DescriptorFiles | undefined;
  const respond = async function* (requests: AsyncIterable<ReflectionRequest>, { values }: HandlerContext) {
    files ??= new DescriptorFiles(
      [...services, ServerReflection, ServerReflectionAlpha],
      [file_google_rpc_error_details],
      alias,
    );
    let received = 0;
    for await (const request of until(stopping, requests)) {
      if (++received > maximumRequests)
        throw new ConnectError("too many requests on one stream", Code.ResourceExhausted);
      // Anybody can send requests, whose responses take long to write.
      await values.get(nextTurn)();
      const messageResponse = responseTo(request.messageRequest, files);
      yield { validHost: request.host, originalRequest: request as never, messageResponse };
    }
  };
  router.service(ServerReflection, { serverReflectionInfo: respond });
  router.service(ServerReflectionAlpha, { serverReflectionInfo: respond });
}

function responseTo(request: ReflectionRequest["messageRequest"], files: DescriptorFiles): ReflectionResponse {
  switch (request.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: files.services.map((name) => ({ name })) } };
    case "fileByFilename":
      return filesResponse(files.byName(request.value), `file ${request.value}`);
    case "fileContainingSymbol":
      return filesResponse(files.bySymbol(request.value), `symbol ${request.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      return filesResponse(
        files.byExtension(containingType, extensionNumber),
        `extension ${extensionNumber} of ${containingType}`,
      );
    }
    case "allExtensionNumbersOfType": {
      const numbers = files.extensionsOf(request.value);
      if (numbers === undefined) return notFound(`type ${request.value}`);
      return {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: request.value, extensionNumber: numbers },
      };
    }
    case undefined:
      return {
        case: "errorResponse",
        value: { errorCode: Code.InvalidArgument, errorMessage: "the request is empty: message_request is required" },
      };
  }
}

function filesResponse(found: Uint8Array[] | undefined, what: string): ReflectionResponse {
  return found === undefined
    ? notFound(what)
    : { case: "fileDescriptorResponse", value: { fileDescriptorProto: found } };
}

function notFound(what: string): ReflectionResponse {
  return { case: "errorResponse", value: { errorCode: Code.NotFound, errorMessage: `${what} not found` } };
}

/** Yields the items until the signal is aborted, because a stream that waits for its client must not delay shutdown. */
async function* until<T>(signal: AbortSignal, items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const stop = () => resolve(undefined);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), stopped]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
