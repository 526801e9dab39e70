import { once } from "node:events";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AuthoredWriter } from "../audit/authored-writer.ts";
import { repos } from "../collections/repos.ts";
import { newUidIn } from "../contract/uid.ts";
import { Registry } from "../gen/muster/platform/registry/repos_pb.ts";
import { RepoSchema } from "../gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let [small, large] = ["", ""];
const smallUids: string[] = [];

beforeAll(async () => {
  platform = await RunningPlatform.start();
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
});
