import { type FileDescriptorProto, FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { fromBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "#src/platform/gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "#src/platform/gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Mismatch } from "../expect.ts";

type Question = ServerReflectionRequest["messageRequest"];
type Answer = ServerReflectionResponse["messageResponse"];

/** Both versions of the service are the same but for their name. */
const services = { v1: ServerReflection, v1alpha: ServerReflectionAlpha as unknown as typeof ServerReflection };

export type ReflectionVersion = keyof typeof services;

/** What a server says of itself, as tools such as grpcurl ask it. */
export class Reflection {
  readonly #ask: (question: Question) => Promise<Answer>;

  constructor(transport: Transport, version: ReflectionVersion, signal: AbortSignal) {
    const client = createClient(services[version], transport);
    this.#ask = async (messageRequest) => {
      const questions = (async function* () {
        yield { messageRequest };
      })();
      for await (const { messageResponse } of client.serverReflectionInfo(questions, { signal }))
        return messageResponse;
      throw new Mismatch("server reflection", "an answer", "none");
    };
  }

  /** The full names of the services. */
  async services(): Promise<readonly string[]> {
    const answer = await this.#ask({ case: "listServices", value: "" });
    if (answer.case !== "listServicesResponse") throw new Mismatch("a list of services", "one", answer);
    return answer.value.service.map(({ name }) => name);
  }

  /** The files that a name is described by, whether or not it comes with what it imports. */
  filesOf(symbol: string): Promise<readonly FileDescriptorProto[]> {
    return this.#files("fileContainingSymbol", symbol);
  }

  file(name: string): Promise<readonly FileDescriptorProto[]> {
    return this.#files("fileByFilename", name);
  }

  async #files(by: "fileContainingSymbol" | "fileByFilename", value: string): Promise<readonly FileDescriptorProto[]> {
    const answer = await this.#ask({ case: by, value });
    if (answer.case !== "fileDescriptorResponse") throw new Mismatch(`the files for ${value}`, "some", answer);
    return answer.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  }
}
