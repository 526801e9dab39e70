import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { connect, createServer, type Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { listenOnLoopback } from "#test/support/loopback.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "./gen/grpc/health/v1/health_pb.ts";
import { describeWithPostgres } from "./tests/describe-with-postgres.testing.ts";
import { RunningPlatform } from "./tests/running-platform.testing.ts";

/** A route to a server on loopback, which can be cut. */
async function cuttable(url: string) {
  const target = new URL(url);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const one of [socket, upstream]) open.add(one.on("error", () => undefined));
    if (isCut) socket.destroy();
    socket.pipe(upstream).pipe(socket);
  });
  const route = Object.assign(new URL(url), { port: String(await listenOnLoopback(server)) });
  const setCut = (cut: boolean) => {
    isCut = cut;
    if (cut) for (const socket of open) socket.destroy();
  };
  const close = async () => {
    setCut(true);
    await new Promise((done) => server.close(done));
  };
  return { url: route.href, setCut, close };
}

describeWithPostgres("a platform whose database is away", (postgres) => {
  it("is not ready over HTTP and gRPC, stays live, and becomes ready again", async () => {
    const route = await cuttable(await postgres().newDatabase());
    const platform = await RunningPlatform.start({}, { database: route.url });
    const health = createClient(Health, createGrpcTransport({ baseUrl: platform.url }));
    const watched: Status[] = [];
    const watching = (async () => {
      for await (const { status } of health.watch({})) watched.push(status);
    })();
    const anyone = platform.as(undefined);
    const states = async () => {
      const [ready, { status }] = await Promise.all([anyone.get("/readyz"), health.check({})]);
      return [ready.status, ready.text, status];
    };
    const eventually = (expected: readonly unknown[]) =>
      vi.waitFor(async () => expect(await states()).toEqual(expected), { timeout: 15_000, interval: 100 });
    try {
      expect(await states()).toEqual([200, "ok", Status.SERVING]);
      route.setCut(true);
      await eventually([503, "database unavailable", Status.NOT_SERVING]);
      expect((await anyone.get("/livez")).status).toBe(200);
      await vi.waitFor(() => expect(watched).toEqual([Status.SERVING, Status.NOT_SERVING]), { timeout: 10_000 });
      route.setCut(false);
      await eventually([200, "ok", Status.SERVING]);
    } finally {
      await platform.stop();
      await watching;
      await route.close();
    }
  });
});
