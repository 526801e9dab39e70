import { writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { benchmarkCommand } from "#test/support/bench/benchmark.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { number } from "#test/support/bench/options.ts";
import { figure } from "#test/support/bench/outcome.ts";
import { memoryMiB } from "#test/support/bench/process-usage.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { type ConnectionState, connectionStates } from "./states.ts";

export const connections = benchmarkCommand({
  name: "connections",
  summary: "The memory of a connection to the platform without a running request, in each state that it can be in.",
  manifest: "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml",
  layout: "rows",
  options: {
    connections: number("connections in each state; one address may have 600 in their handshake", 600, { small: 20 }),
  },
  measure: async ({ connections: opened }, { folder, program, report }) => {
    const { key, certificate } = selfSignedCertificate();
    const files = { key: join(folder, "key.pem"), certificate: join(folder, "certificate.pem") };
    await writeFile(files.key, key, { mode: 0o600 });
    await writeFile(files.certificate, certificate);
    for (const [n, state] of connectionStates.entries()) {
      const flags = ["--data", join(folder, `data-${n}`), "--maximum-connections", "20000"];
      if (state.tls) flags.push("--tls-cert", files.certificate, "--tls-key", files.key);
      const env = { NODE_ENV: "production", ...program.env };
      const platform = new PlatformProcess(flags, { program: program.file, env });
      try {
        const memory = await memoryOfConnections(platform, state, opened);
        report({ case: state.name, figures: [figure("memory of each", (memory * 1024) / opened, "KiB")] });
      } finally {
        await platform.kill();
      }
    }
  },
});

/** By how many mebibytes the platform grows. */
async function memoryOfConnections(
  platform: PlatformProcess,
  { open }: ConnectionState,
  count: number,
): Promise<number> {
  const { hostname: host, port } = new URL(`http://${(await platform.listening()).address}`);
  const sockets: Socket[] = [];
  const memoryWith = async (more: number) => {
    await inParallel(Array.from({ length: more }), 20, async () =>
      sockets.push(await open({ host, port: Number(port) })),
    );
    await sleep(500);
    return (await memoryMiB(platform.pid)).now;
  };
  try {
    // What the first connections load is not theirs.
    const before = await memoryWith(50);
    return (await memoryWith(count)) - before;
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
