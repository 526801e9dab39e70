import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { runBenchmark } from "#test/support/bench/benchmark.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { memoryMiB } from "#test/support/bench/process-usage.ts";
import { wholeNumber } from "#test/support/command-line.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { connectionStates } from "./states.ts";

const usage = `Usage: npm run measure:connections -- [--connections N]

Measures how much memory of a platform a connection without a running request costs, in each state that it can be in.

  --connections N  connections of each measurement (default 600, what one address may have in their handshake)
  --help           print this text
`;
const manifest = "deploy/kustomize/overlays/try-out/platform/stateful-set.yaml";

await runBenchmark({ name: "measure:connections", usage, manifest, readOptions, measure });

function readOptions(args: readonly string[]): { readonly connections: number } | "help" {
  const options = {
    connections: { type: "string", default: "600" },
    help: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  return values.help ? "help" : { connections: wholeNumber("--connections", values.connections, 1) };
}

async function measure({ connections }: { readonly connections: number }, program: Program): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "muster-connections-"));
  try {
    const { key, certificate } = selfSignedCertificate();
    await writeFile(join(folder, "key.pem"), key, { mode: 0o600 });
    await writeFile(join(folder, "certificate.pem"), certificate);
    for (const [n, { name, tls, open }] of connectionStates.entries()) {
      const flags = ["--data", join(folder, `data-${n}`), "--maximum-connections", "20000"];
      if (tls) flags.push("--tls-cert", join(folder, "certificate.pem"), "--tls-key", join(folder, "key.pem"));
      const platform = new PlatformProcess(flags, {
        program: program.file,
        env: { NODE_ENV: "production", ...program.env },
      });
      const sockets: Socket[] = [];
      try {
        const { hostname, port } = new URL(`http://${(await platform.listening()).address}`);
        const openSome = async (count: number) => {
          for (let left = count; left > 0; left -= 20)
            sockets.push(
              ...(await Promise.all(
                Array.from({ length: Math.min(20, left) }, () => open({ host: hostname, port: Number(port) })),
              )),
            );
        };
        // What the first connections load is not theirs.
        await openSome(50);
        await sleep(500);
        const before = await memoryMiB(platform.pid);
        await openSome(connections);
        await sleep(500);
        const after = await memoryMiB(platform.pid);
        const kibibytes = ((after.now - before.now) * 1024) / connections;
        process.stdout.write(`${name.padEnd(34)} ${kibibytes.toFixed(0).padStart(4)} KiB\n`);
      } finally {
        for (const socket of sockets) socket.destroy();
        await platform.kill();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}
