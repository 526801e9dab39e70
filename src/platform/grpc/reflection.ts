import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { file_google_rpc_error_details } from "../gen/google/rpc/error_details_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { ServerReflection } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { DescriptorFiles } from "./descriptor-files.ts";
import type { VendorAlias } from "./vendor-alias.ts";

/** On one stream: more than any tool asks, and few enough for an answer to cost more than its question. */
const maximumQuestions = 1_000;

/** What is asked, the same in both versions of the service. */
interface Question {
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

type Reply =
  | { readonly case: "fileDescriptorResponse"; readonly value: { readonly fileDescriptorProto: Uint8Array[] } }
  | { readonly case: "listServicesResponse"; readonly value: { readonly service: { readonly name: string }[] } }
  | {
      readonly case: "allExtensionNumbersResponse";
      readonly value: { readonly baseTypeName: string; readonly extensionNumber: number[] };
    }
  | { readonly case: "errorResponse"; readonly value: { readonly errorCode: number; readonly errorMessage: string } };

/**
 * Server reflection, in the version that tools ask for first and the one that older tools know: what is served, and
 * how it is described. Under a vendor's alias everything of ours is there a second time, as the vendor names it.
 * @param stopping ends streams that are open
 */
export function mountReflection(
  router: ConnectRouter,
  services: readonly DescService[],
  alias: VendorAlias | undefined,
  stopping: AbortSignal,
): void {
  // Made when it is first asked for: most platforms are never asked.
  let files: DescriptorFiles | undefined;
  const answers = async function* (questions: AsyncIterable<Question>) {
    files ??= new DescriptorFiles(
      [...services, ServerReflection, ServerReflectionAlpha],
      [file_google_rpc_error_details],
      alias,
    );
    let asked = 0;
    for await (const question of until(stopping, questions)) {
      if (++asked > maximumQuestions) throw new ConnectError("too many questions", Code.ResourceExhausted);
      const messageResponse = replyTo(question.messageRequest, files);
      yield { validHost: question.host, originalRequest: question as never, messageResponse };
    }
  };
  router.service(ServerReflection, { serverReflectionInfo: answers });
  router.service(ServerReflectionAlpha, { serverReflectionInfo: answers });
}

function replyTo(question: Question["messageRequest"], files: DescriptorFiles): Reply {
  switch (question.case) {
    case "listServices":
      return { case: "listServicesResponse", value: { service: files.services.map((name) => ({ name })) } };
    case "fileByFilename":
      return filesReply(files.byName(question.value), `file ${question.value}`);
    case "fileContainingSymbol":
      return filesReply(files.bySymbol(question.value), `symbol ${question.value}`);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = question.value;
      return filesReply(
        files.byExtension(containingType, extensionNumber),
        `extension ${extensionNumber} of ${containingType}`,
      );
    }
    case "allExtensionNumbersOfType": {
      const numbers = files.extensionsOf(question.value);
      if (numbers === undefined) return notFound(`type ${question.value}`);
      return {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: question.value, extensionNumber: numbers },
      };
    }
    case undefined:
      return {
        case: "errorResponse",
        value: { errorCode: Code.InvalidArgument, errorMessage: "the request asks for nothing" },
      };
  }
}

function filesReply(found: Uint8Array[] | undefined, what: string): Reply {
  return found === undefined
    ? notFound(what)
    : { case: "fileDescriptorResponse", value: { fileDescriptorProto: found } };
}

function notFound(what: string): Reply {
  return { case: "errorResponse", value: { errorCode: Code.NotFound, errorMessage: `there is no ${what}` } };
}

/** The items until the signal is aborted: a stream that waits for its client must not keep the platform from stopping. */
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
