import { once } from "node:events";
import { connect } from "node:http2";
import { create } from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { GroupsService } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { RolesService } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { RepoSchema, ReposService } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import type { Capability } from "../access/capability.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
beforeAll(async () => {
  platform = await RunningPlatform.start({ vendorAlias: "acme" });
});
afterAll(() => platform.stop());

const bearer = (token: string | undefined) => ({ headers: { authorization: `Bearer ${token}` } });

describe("gRPC on the same port", () => {
  it.each([
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
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

  it("rejects unknown enum numbers, and drops unknown fields", async () => {
    const transport = createGrpcTransport({ baseUrl: platform.url });
    const role = { name: "r", capabilities: [9_999 as Capability] };
    await expect(
      createClient(RolesService, transport).createRole({ parent: platform.root, role }, bearer(platform.admin.token)),
    ).rejects.toMatchObject({
      code: Code.InvalidArgument,
      rawMessage: expect.stringContaining("role.capabilities[0]"),
    });
    const repo = create(RepoSchema, { name: "r" });
    repo.$unknown = [{ no: 999, wireType: WireType.LengthDelimited, data: new Uint8Array([1, 7]) }];
    const repos = createClient(ReposService, transport);
    const { uid } = await repos.createRepo({ parent: platform.root, repo }, bearer(platform.admin.token));
    expect((await repos.getRepo({ uid }, bearer(platform.admin.token))).$unknown).toBeUndefined();
  });

  it("completes running calls when it stops, and accepts no new ones", async () => {
    const separate = await RunningPlatform.start({}, { latency: 200 });
    const groups = createClient(GroupsService, createGrpcTransport({ baseUrl: separate.url }));
    const running = groups.listGroups({}, bearer(separate.admin.token));
    await separate.admin.callsInFlight(1);
    const before = performance.now();
    const stopped = separate.stop();
    expect((await running).groups).toHaveLength(1);
    await stopped;
    expect(performance.now() - before).toBeLessThan(2_000);
    await expect(groups.listGroups({}, bearer(separate.admin.token))).rejects.toMatchObject({ code: Code.Unavailable });
  });

  it("serves the same methods under another vendor's package name", async () => {
    const response = await fetch(`${platform.url}/acme.platform.iam.v2beta1.GroupsService/ListGroups`, {
      method: "POST",
      headers: { authorization: `Bearer ${platform.admin.token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(await response.json()).toMatchObject({ groups: [{ uid: platform.root }] });
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
