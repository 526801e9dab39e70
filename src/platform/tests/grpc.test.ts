import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import { create } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  compressionGzip,
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { UIDPFilterSchema } from "../gen/muster/platform/common/uidp_pb.ts";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { RepoSchema, ReposService } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(() => platform.stop());

const bearer = (token: string | undefined) => ({ headers: { authorization: `Bearer ${token}` } });

/** Sends the bytes of a gRPC request without a token. */
async function rawCall(path: string, bytes: string): Promise<{ status: number; trailers: IncomingHttpHeaders }> {
  const session = connect(platform.url);
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
  });
  let status = 0;
  let trailers: IncomingHttpHeaders = {};
  stream.on("response", (headers) => {
    status = Number(headers[":status"]);
    trailers = headers;
  });
  stream.on("trailers", (received) => (trailers = received));
  stream.resume();
  stream.end(Buffer.from(bytes.replaceAll(" ", ""), "hex"));
  await once(stream, "close");
  session.destroy();
  return { status, trailers };
}

describe("gRPC on the same port", () => {
  const sendCompression = compressionGzip;
  it.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["compressed gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl, sendCompression })],
    ["compressed Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2", sendCompression })],
    ["JSON", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false })],
  ])("%s refuses a message with more than 20,000 values, once the caller is authenticated", async (_, transport) => {
    const groups = createClient(GroupsService, transport(platform.url));
    const request = { uidp: { ids: Array.from({ length: 20_001 }, () => "a") } };
    await expect(groups.listGroups(request, bearer(platform.admin.token))).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: "Invalid argument: body: must have at most 20000 fields and items",
    });
    await expect(groups.listGroups(request)).rejects.toMatchObject({ code: Code.Unauthenticated });
  });

  it.each([
    ["gRPC-web over HTTP/1.1", (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" })],
    ["Connect over HTTP/2", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" })],
  ])("%s returns the same as REST", async (_, transport) => {
    const groups = createClient(GroupsService, transport(platform.url));
    const created = await groups.createGroup(
      { parent: platform.root, group: { name: "by grpc" } },
      bearer(platform.admin.token),
    );
    expect(await platform.admin.ok("GET", `/iam/v2beta1/groups/${created.uid}`)).toMatchObject({ name: "by grpc" });
    const listed = await groups.listGroups({ uidp: { ids: [created.uid] } }, bearer(platform.admin.token));
    expect(listed).toMatchObject({ groups: [{ uid: created.uid }], totalCount: 1n });
    // Without a mask, only fields with a value other than the default change.
    const update = { uid: created.uid, name: "", description: "d" };
    expect(await groups.updateGroup({ group: update }, bearer(platform.admin.token))).toMatchObject({
      name: "by grpc",
      description: "d",
    });
    await groups.deleteGroup({ uid: created.uid }, bearer(platform.admin.token));

    const error = await groups
      .createGroup({ parent: platform.root }, bearer(platform.admin.token))
      .catch((thrown: unknown) => ConnectError.from(thrown));
    expect(error).toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: 'Invalid argument: name: name must match "^[a-z0-9 ._-]{1,}$"',
    });
    expect((error as ConnectError).findDetails(ErrorInfoSchema)).toMatchObject([
      { reason: "INVALID_ARGUMENT", domain: "iam.muster.dev" },
    ]);
    expect((error as ConnectError).findDetails(BadRequestSchema)).toMatchObject([
      { fieldViolations: [{ field: "name" }] },
    ]);
    await expect(groups.listGroups({})).rejects.toMatchObject({ code: Code.Unauthenticated });
  });

  it.each([
    ["application/grpc", "0000000002 0a05", { "grpc-status": "3" }],
    ["application/grpc", "0100000000", { "grpc-status": "3" }],
    ["application/grpc", "0100000004 00000000", { "grpc-status": "3" }, "br"],
    ["application/grpc-web+proto", "0000000002 0a05", "grpc-status: 3"],
    ["application/proto", "0a05", '"code":"invalid_argument"'],
  ])(
    "rejects an invalid message over %s (%s) with 3, not as an internal error",
    async (type, bytes, expected, encoding = "identity") => {
      const session = connect(platform.url);
      const stream = session.request({
        ":method": "POST",
        ":path": `/${GroupsService.typeName}/GetGroup`,
        "content-type": type,
        te: "trailers",
        "grpc-encoding": encoding,
        authorization: `Bearer ${platform.admin.token}`,
      });
      let [text, status, trailers]: [string, number, object] = ["", 0, {}];
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("trailers", (received) => (trailers = received));
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.end(Buffer.from(bytes.replaceAll(" ", ""), "hex"));
      await once(stream, "close");
      session.destroy();
      expect(status).toBe(type === "application/proto" ? 400 : 200);
      if (typeof expected === "string") expect(text).toContain(expected);
      else expect(trailers).toMatchObject(expected);
    },
  );

  it("refuses unknown fields, so that a filter which it does not have is not dropped silently", async () => {
    const groups = createClient(GroupsService, createGrpcTransport({ baseUrl: platform.url }));
    const uidp = create(UIDPFilterSchema);
    uidp.$unknown = [{ no: 999, wireType: WireType.LengthDelimited, data: new Uint8Array([1, 7]) }];
    await expect(groups.listGroups({ uidp }, bearer(platform.admin.token))).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: "Invalid argument: uidp.999: unknown field",
    });
  });

  it("ignores unknown fields if the platform is configured to, and stores none", async () => {
    const separate = await RunningPlatform.start({ unknownFields: "ignore" });
    const repos = createClient(ReposService, createGrpcTransport({ baseUrl: separate.url }));
    const repo = create(RepoSchema, { name: "r" });
    repo.$unknown = [{ no: 999, wireType: WireType.LengthDelimited, data: new Uint8Array([1, 7]) }];
    const { uid } = await repos.createRepo({ parent: separate.root, repo }, bearer(separate.admin.token));
    expect((await repos.getRepo({ uid }, bearer(separate.admin.token))).$unknown).toBeUndefined();
    const response = await fetch(`${separate.url}/${GroupsService.typeName}/ListGroups`, {
      method: "POST",
      headers: { authorization: `Bearer ${separate.admin.token}`, "content-type": "application/json" },
      body: JSON.stringify({ dragons: 1 }),
    });
    expect(response.status).toBe(200);
    await separate.stop();
  });

  it.each([
    "/muster.platform.iam.v2beta1.GroupsService/Dragons",
    // REST has it.
    "/muster.platform.iam.v2beta1.IdentityTokensService/RevokeTokens",
    "/dragons.Dragons/Fly",
    "/Dragons/Fly",
    "/fly",
    "/",
  ])("returns 12 in trailers with HTTP status 200 to a call of %s, which is not served", async (path) => {
    const { status, trailers } = await rawCall(path, "0000000000");
    expect({ status, code: trailers["grpc-status"] }).toEqual({ status: 200, code: "12" });
  });

  it("returns 12 to a call of an unknown method over gRPC-web and Connect too", async () => {
    const call = (type: string) =>
      fetch(`${platform.url}/dragons.Dragons/Fly`, { method: "POST", headers: { "content-type": type }, body: "{}" });
    const web = await call("application/grpc-web+proto");
    expect({ status: web.status, text: await web.text() }).toEqual({
      status: 200,
      text: expect.stringMatching(/grpc-status: *12/),
    });
    const connected = await call("application/json");
    expect({ status: connected.status, body: await connected.json() }).toMatchObject({
      status: 501,
      body: { code: "unimplemented" },
    });
  });

  it.each([
    ["an unknown field", "0000000004 ba3e0107"],
    ["a message that cannot be read", "0000000002 0a05"],
    ["a message that is not compressed as declared", "0100000004 00000000"],
  ])("reports a missing token (16) before %s", async (_, bytes) => {
    const { trailers } = await rawCall(`/${GroupsService.typeName}/GetGroup`, bytes);
    expect(trailers["grpc-status"]).toBe("16");
  });

  it("takes each field once over Connect, in one of its spellings, and none from a query", async () => {
    const { admin, root } = platform;
    const [other, identityUid, roleUid] = [
      await admin.group(root),
      await admin.identity(root),
      await admin.role("viewer"),
    ];
    const batch = { parent: root, requests: [{ roleBinding: { identityUid, roleUid } }] };
    const call = (method: string, body: string) => admin.post(`/muster.platform.iam.v2beta1.${method}`, body);
    for (const [method, body] of [
      ["RoleBindingsService/BatchCreateRoleBindings", JSON.stringify({ ...batch, role_uid: "a", roleUid: "b" })],
      ["GroupsService/ListGroups", '{"pageSize":1,"page_size":2}'],
      ["GroupsService/ListGroups", '{"name":"a","name":"b"}'],
    ] as const)
      expect((await call(method, body)).body).toMatchObject({ code: "invalid_argument" });
    const inQuery = `RoleBindingsService/BatchCreateRoleBindings?parent=${other}`;
    expect((await call(inQuery, JSON.stringify(batch))).status).toBe(404);
    expect(await admin.ok("GET", "/iam/v2beta1/roleBindings")).toMatchObject({ totalCount: "0" });
    await admin.ok("DELETE", `/iam/v2beta1/groups/${other}`);
  });

  it("serves REST over HTTP/2 with prior knowledge", async () => {
    const session = connect(platform.url);
    const stream = session.request({ ":path": "/iam/v2beta1/groups", authorization: `Bearer ${platform.admin.token}` });
    let text = "";
    for await (const chunk of stream) text += String(chunk);
    expect(JSON.parse(text)).toMatchObject({ groups: [{ uid: platform.root }] });
    session.close();
  });
});
