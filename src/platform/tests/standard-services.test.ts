import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection, type ServerReflectionRequest } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start({ vendorAlias: "acme" });
});
afterAll(() => platform.stop());

describe("the standard health service", () => {
  const client = (separate: RunningPlatform) => createClient(Health, createGrpcTransport({ baseUrl: separate.url }));

  it("returns SERVICE_UNKNOWN from Watch for an unknown service, and lists the known ones", async () => {
    const { value } = await client(platform).watch({ service: "dragons" })[Symbol.asyncIterator]().next();
    expect(value).toMatchObject({ status: Status.SERVICE_UNKNOWN });
    expect(Object.keys((await client(platform).list({})).statuses)).toContain("");
  });

  it("reports NOT_SERVING to watchers when the platform stops, and open streams do not delay the stop", async () => {
    const separate = await RunningPlatform.start();
    const seen: Status[] = [];
    const reflection = createClient(ServerReflection, createGrpcTransport({ baseUrl: separate.url }));
    const open = reflection.serverReflectionInfo(endless())[Symbol.asyncIterator]();
    await open.next();
    // The client keeps its stream open, as an interactive tool does.
    const ended = open.next();

    let stopped: Promise<void> | undefined;
    for await (const { status } of client(separate).watch({})) {
      seen.push(status);
      stopped ??= separate.stop();
    }
    const before = performance.now();
    await stopped;
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
    expect(await ended).toMatchObject({ done: true });
  });
});

async function* endless() {
  yield { messageRequest: { case: "listServices" as const, value: "" } };
  await new Promise(() => {});
}

describe("server reflection", () => {
  const call = async (messageRequest: ServerReflectionRequest["messageRequest"]) => {
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: platform.url }));
    const requests = (async function* () {
      yield { messageRequest: messageRequest as never };
    })();
    for await (const { messageResponse } of client.serverReflectionInfo(requests)) return messageResponse;
    throw new Error("no response");
  };
  const filesOf = async (symbol: string) => {
    const response = await call({ case: "fileContainingSymbol", value: symbol });
    if (response.case !== "fileDescriptorResponse") throw new Error(JSON.stringify(response));
    return response.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  };

  it("limits the requests on one stream, because a response is much larger than its request", async () => {
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: platform.url }));
    const requests = (async function* () {
      for (let count = 0; count < 1_200; count++)
        yield { messageRequest: { case: "fileByFilename" as const, value: "x" } };
    })();
    let responses = 0;
    const all = async () => {
      for await (const _ of client.serverReflectionInfo(requests)) responses++;
    };
    await expect(all()).rejects.toMatchObject({ code: Code.ResourceExhausted });
    expect(responses).toBe(1_000);
  });

  it("describes a service with all imported files, each after its own imports", async () => {
    const files = await filesOf("muster.platform.iam.v2beta1.GroupsService.ListGroups");
    const seen = new Set<string>();
    for (const { name, dependency } of files) {
      for (const one of dependency) expect(seen).toContain(one);
      seen.add(name);
    }
    expect(files.at(-1)?.service[0]?.method[0]?.options).toBeDefined();
  });

  it("describes a service under the vendor's name with only the vendor's names", async () => {
    const files = await filesOf("acme.platform.iam.v2beta1.RolesService");
    expect(files.map(({ name }) => name)).toContain("acme/capabilities/capabilities.proto");
    expect(
      JSON.stringify(
        files.map((file) => ({ ...file, options: null })),
        withoutBytes,
      ),
    ).not.toContain("muster");
  });

  it("describes the payloads of errors, which no service imports", async () => {
    expect((await filesOf("google.rpc.BadRequest")).at(-1)?.name).toBe("google/rpc/error_details.proto");
  });

  it("returns 5 for a missing file, and finds the extensions of a message", async () => {
    expect(await call({ case: "fileByFilename", value: "dragons.proto" })).toMatchObject({
      value: { errorCode: Code.NotFound },
    });
    expect(await call({ case: "allExtensionNumbersOfType", value: "google.protobuf.MethodOptions" })).toMatchObject({
      value: { extensionNumber: [72295728] },
    });
  });
});

function withoutBytes(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
