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

type RequestMessage = ServerReflectionRequest["messageRequest"];
type ResponseMessage = ServerReflectionResponse["messageResponse"];

/** The two versions of the service differ only in their name. */
const services = { v1: ServerReflection, v1alpha: ServerReflectionAlpha as unknown as typeof ServerReflection };

export type ReflectionVersion = keyof typeof services;

/** A client of server reflection, which tools such as grpcurl use. */
export class Reflection {
  readonly #call: (request: RequestMessage) => Promise<ResponseMessage>;

  constructor(transport: Transport, version: ReflectionVersion, signal: AbortSignal) {
    const client = createClient(services[version], transport);
    this.#call = async (messageRequest) => {
      const requests = (async function* () {
        yield { messageRequest };
      })();
      for await (const { messageResponse } of client.serverReflectionInfo(requests, { signal })) return messageResponse;
      throw new Mismatch("the stream of server reflection", "one response", "none");
    };
  }

  /** The full names of the services. */
  async services(): Promise<readonly string[]> {
    const response = await this.#call({ case: "listServices", value: "" });
    if (response.case !== "listServicesResponse")
      throw new Mismatch("the response to list_services", "list_services_response", response);
    return response.value.service.map(({ name }) => name);
  }

  /** The file that declares a symbol; a server can add the files that it imports. */
  filesOf(symbol: string): Promise<readonly FileDescriptorProto[]> {
    return this.#files("fileContainingSymbol", symbol);
  }

  /** The file of this name; a server can add the files that it imports. */
  file(name: string): Promise<readonly FileDescriptorProto[]> {
    return this.#files("fileByFilename", name);
  }

  async #files(by: "fileContainingSymbol" | "fileByFilename", value: string): Promise<readonly FileDescriptorProto[]> {
    const response = await this.#call({ case: by, value });
    if (response.case !== "fileDescriptorResponse")
      throw new Mismatch(`the response for ${value}`, "file_descriptor_response", response);
    return response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  }
}
