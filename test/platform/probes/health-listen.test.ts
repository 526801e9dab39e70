import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-probes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("serves probes and metrics at --health-listen while the address of the prober has no connection left at the API", async () => {
  const flags = ["--maximum-connections", "10", "--health-listen", "127.0.0.1:0", "--drain-delay", "1s"];
  const platform = new PlatformProcess(["--data", join(folder, "data"), ...flags]);
  const held: Socket[] = [];
  try {
    const { address } = await platform.listening();
    const { healthAddress } = await platform.logged("listening");
    const [host = "", port] = address.split(":");
    const isServed = (at: string, path: string) =>
      fetch(at + path, { headers: { connection: "close" } }).then(
        async (response) => [response.status, await response.text()] as const,
        () => undefined,
      );
    // As many as the address can have, which are held open; those beyond are closed.
    for (let n = 0; n < 20; n++) {
      const socket = connect(Number(port), host).on("error", () => {});
      await once(socket, "connect");
      socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
      held.push(socket);
    }
    await vi.waitFor(async () => expect(await isServed(`http://${address}`, "/livez")).toBeUndefined());
    const health = String(healthAddress);
    expect(await isServed(health, "/livez")).toEqual([200, "ok\n"]);
    expect(await isServed(health, "/readyz")).toEqual([200, "ok\n"]);
    expect((await isServed(health, "/metrics"))?.[1]).toContain("muster_platform_server_connections ");
    expect((await isServed(health, "/iam/v2beta1/groups"))?.[0]).toBe(404);

    const stopping = platform.logged("stopping; draining calls in flight");
    process.kill(platform.pid, "SIGTERM");
    await stopping;
    expect(await isServed(health, "/readyz")).toEqual([503, "stopping\n"]);
    expect(await isServed(health, "/livez")).toEqual([200, "ok\n"]);
  } finally {
    for (const socket of held) socket.destroy();
    await platform.kill();
  }
});
