import type { Call, Fault } from "#test/support/harness/fault-proxy.ts";
import type { Random } from "#test/platform/fuzz/random.ts";
import { maxLateMs } from "./world.ts";

/** The faults of the network between the operators and the platform, each with its weight. A read is never late. */
export function drawFault({ method }: Call, random: Random, percent: number): Fault | undefined {
  if (!random.chance(percent / 100)) return undefined;
  return random.weighted<Fault>([
    [2, { is: "not sent" }],
    [4, { is: "response lost" }],
    [1, { is: "response truncated" }],
    [1, { is: "response replaced", status: 503, headers: {}, body: "no healthy upstream" }],
    [method === "GET" ? 0 : 3, { is: "forwarded late", afterMs: random.int(100, maxLateMs) }],
  ]);
}
