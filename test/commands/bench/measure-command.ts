import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpuSeconds, memoryMiB } from "#test/support/bench/process-usage.ts";
import type { MeasuredCommand } from "./measured-commands.ts";
import type { World } from "./world.ts";

/** What one run of a command cost. */
export interface CommandCost {
  readonly seconds: number;
  /** All threads, user and kernel mode: other programs on the machine change this less than the time. */
  readonly cpuSeconds: number;
  readonly peakMiB: number;
  readonly kubernetesRequests: number;
  /** The lists and gets that the platform served. */
  readonly platformCalls: number;
}

/** Both the peak and the CPU time only grow, so reading them often is enough. */
const pollMs = 10;

/** Runs the program once, as a process of its own. @throws {Error} if it does not do its work */
export async function measureCommand(
  program: string,
  { args, exitCode, prints, nodeFlags = [], prepare }: MeasuredCommand,
  world: World,
): Promise<CommandCost> {
  await prepare?.(world, async (preparing) => {
    const child = spawn(process.execPath, [program, ...preparing], { stdio: "ignore" });
    await once(child, "close");
  });
  const [requests, calls] = [world.cluster.requests, await servedCalls(world)];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, program, ...args(world)], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  let [peakMiB, cpu] = [0, 0];
  const poll = setInterval(() => {
    void Promise.all([memoryMiB(child.pid ?? 0), cpuSeconds(child.pid ?? 0)]).then(
      ([{ peak }, used]) => {
        if (peak > peakMiB) peakMiB = peak;
        if (used > cpu) cpu = used;
      },
      // The process has just ended.
      () => undefined,
    );
  }, pollMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearInterval(poll);
  const seconds = (performance.now() - startedAt) / 1000;
  if (code !== exitCode || !output.includes(prints))
    throw new Error(`muster ${args(world).slice(0, 2).join(" ")} ended with ${code}:\n${output.slice(0, 2_000)}`);
  return {
    seconds,
    cpuSeconds: cpu,
    peakMiB,
    kubernetesRequests: world.cluster.requests - requests,
    platformCalls: (await servedCalls(world)) - calls,
  };
}

async function servedCalls({ url }: World): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^muster_platform_server_requests_total\{[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}
