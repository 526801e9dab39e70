import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { repos } from "../collections/repos.ts";
import { roleBindings } from "../collections/role-bindings.ts";
import { newUidIn } from "../contract/uid.ts";
import { Registry } from "../gen/muster/platform/registry/repos_pb.ts";
import { RepoSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { GatedDatabase } from "./gated-database.testing.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let gate: GatedDatabase;
let [small, large] = ["", ""];
const smallUids: string[] = [];

beforeAll(async () => {
  platform = await RunningPlatform.start({}, { wrapDatabase: (database) => (gate = new GatedDatabase(database)) });
  [small, large] = [
    await platform.admin.group(platform.root, "small"),
    await platform.admin.group(platform.root, "large"),
  ];
  const database = await platform.openDatabase();
  await database.write(async (writer) => {
    const tx = new AuthoredWriter(writer, { kind: "host", command: "test" }, 0);
    const insert = async (group: string, name: string, bundles: string[]) => {
      const uid = newUidIn(group);
      await repos.insert(tx, create(RepoSchema, { uid, name, bundles }));
      return uid;
    };
    for (let n = 0; n < 450; n++) smallUids.push(await insert(small, `r${n}`, []));
    for (let n = 0; n < 120; n++) await insert(large, `r${n}`, ["a".repeat(60_000), "b".repeat(60_000)]);
  });
  await database.close();
}, 60_000);
afterAll(() => platform.stop());

describe("v1 lists", () => {
  it("are streamed in parts, each resource once, in the order of their ids", async () => {
    const response = await platform.admin.get(`/registry/v1/repos?uidp.children_of=${small}`);
    expect(response.headers.get("content-length")).toBeNull();
    expect((response.body["items"] as Json[]).map(({ id }) => id)).toEqual(smallUids.toSorted());
  });

  it("over gRPC are complete, or code 8 if they are larger than a page may be", async () => {
    const client = createClient(Registry, createGrpcTransport({ baseUrl: platform.url }));
    const options = { headers: { authorization: `Bearer ${platform.admin.token}` } };
    const { items } = await client.listRepos({ uidp: { childrenOf: small } }, options);
    expect(items).toHaveLength(450);
    await expect(client.listRepos({ uidp: { childrenOf: large } }, options)).rejects.toMatchObject({
      code: 8,
      rawMessage: expect.stringContaining("4 MiB"),
    });
  });

  it("are held by clients that do not read, while other calls and lists are served", async () => {
    const { hostname, port } = new URL(platform.url);
    const listing = () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write(
        `GET /registry/v1/repos?uidp.children_of=${large} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${platform.admin.token}\r\n\r\n`,
      );
      return socket;
    };
    const sockets = Array.from({ length: 12 }, listing);
    // Each client receives the beginning of its response, and nothing more.
    const status = await Promise.all(
      sockets.map(async (socket) => {
        const [chunk] = (await once(socket, "data")) as [Buffer];
        socket.pause();
        return chunk.toString("latin1").slice(9, 12);
      }),
    );
    expect(new Set(status)).toEqual(new Set(["200"]));
    for (const path of [`/iam/v2beta1/groups/${small}`, `/registry/v1/repos?uidp.children_of=${small}`])
      expect((await platform.admin.get(path)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  describe("of a caller who loses access while they are sent", () => {
    const path = () => `/registry/v1/repos?uidp.descendants_of=${platform.root}`;
    /** A caller who may see `large` by one binding, and `small` by another one. */
    const caller = async () => {
      const client = await platform.callerWith("viewer", large);
      const viewer = await platform.admin.role("viewer");
      await platform.admin.bind(small, client.identity, viewer);
      const page = await platform.admin.ok("GET", `/iam/v2beta1/roleBindings?identity=${client.identity}`);
      const bindingIn = (group: string) => page.roleBindings.find(({ uid }) => uid.startsWith(`${group}/`))?.uid ?? "";
      return { token: client.token, identity: client.identity, bindingIn };
    };
    /** Receives the beginning of a list, lets something happen, and receives the rest. @returns the whole response */
    const listMeanwhile = async (token: string | undefined, meanwhile: () => Promise<unknown>): Promise<string> => {
      const { hostname, port } = new URL(platform.url);
      const socket = connect({ host: hostname, port: Number(port) });
      const end = `connection: close\r\nauthorization: Bearer ${token}\r\n\r\n`;
      socket.write(`GET ${path()} HTTP/1.1\r\nhost: a\r\n${end}`);
      const chunks = [(await once(socket, "data"))[0] as Buffer];
      socket.pause();
      await meanwhile();
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.on("error", () => {});
      socket.resume();
      await once(socket, "close");
      return Buffer.concat(chunks).toString("latin1");
    };
    const lastChunk = "\r\n0\r\n\r\n";

    it("are aborted if a role binding is deleted", async () => {
      const { token, bindingIn } = await caller();
      const received = await listMeanwhile(token, () =>
        platform.admin.delete(`/iam/v2beta1/roleBindings/${bindingIn(large)}`),
      );
      expect(received).toMatch(/^HTTP\/1.1 200 /);
      expect(received.endsWith(lastChunk)).toBe(false);
    });

    it("are aborted if the identity's tokens are revoked", async () => {
      const { token, identity } = await caller();
      const received = await listMeanwhile(token, () =>
        platform.admin.post(`/iam/v2beta1/identities/${identity}:revokeTokens`),
      );
      expect(received.endsWith(lastChunk)).toBe(false);
    });

    it("are complete if there is nothing in what they lose", async () => {
      const { token, identity } = await caller();
      const [empty, viewer] = [await platform.admin.group(platform.root, "empty"), await platform.admin.role("viewer")];
      const below = await platform.admin.bind(large, identity, viewer);
      const inEmpty = await platform.admin.bind(empty, identity, viewer);
      const received = await listMeanwhile(token, async () => {
        for (const uid of [below, inEmpty]) await platform.admin.ok("DELETE", `/iam/v2beta1/roleBindings/${uid}`);
      });
      expect(received.endsWith(lastChunk)).toBe(true);
    });

    it("are reset over HTTP/2", async () => {
      const { token, bindingIn } = await caller();
      const session = connectHttp2(platform.url);
      const stream = session.request({ ":path": path(), authorization: `Bearer ${token}` });
      const failed = once(stream, "close").catch((error: unknown) => error);
      await once(stream, "data");
      stream.pause();
      await platform.admin.ok("DELETE", `/iam/v2beta1/roleBindings/${bindingIn(large)}`);
      stream.resume();
      expect(await failed).toMatchObject({ code: "ERR_HTTP2_STREAM_ERROR" });
      expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
      session.close();
    });

    it("are code 10 over gRPC", async () => {
      const { token, bindingIn } = await caller();
      const client = createClient(Registry, createGrpcTransport({ baseUrl: platform.url }));
      const options = { headers: { authorization: `Bearer ${token}` } };
      gate.shut();
      const list = client.listRepos({ uidp: { childrenOf: small } }, options);
      await gate.holds(1);
      // The first part is read, and the next one is held back.
      gate.open();
      gate.shut();
      await gate.holds(1);
      const database = await platform.openDatabase();
      await database.write((writer) =>
        roleBindings.delete(new AuthoredWriter(writer, { kind: "host", command: "test" }, 0), bindingIn(small)),
      );
      await database.close();
      gate.open();
      await expect(list).rejects.toMatchObject({ code: 10 });
    });
  });
});
