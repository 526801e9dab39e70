import { portLimits } from "./port-limits.ts";
import type { ProcessLimits } from "./process-limits.ts";

/**
 * The memory of a connection, in bytes: rounded up from what `npm run bench -- connections` measures for one without a request, for
 * a request whose headers are still on their way, and for the buffers of the kernel. Most of that of a TLS connection is outside
 * the heap of V8, so the limit of the heap does not protect from it.
 */
export const connectionBytes = { plain: 64 * 1024, tls: 128 * 1024 } as const;

/** The part of the memory that connections may have, and the part that open requests may have. The rest is for the platform itself. */
export const memoryParts = 4;

/** Of the open files, this part may be connections from clients. The database, issuers and the log need some, too. */
const openFilesPart = 2;

/** How many connections the process has room for. */
export function connectionsThatFit(
  { memory, openFiles }: ProcessLimits,
  protocol: keyof typeof connectionBytes,
): number {
  const byMemory = Math.floor(memory / memoryParts / connectionBytes[protocol]);
  return Math.max(1, Math.min(byMemory, Math.floor(openFiles / openFilesPart)));
}

/** How many bytes open requests may have. */
export function requestMemoryThatFits({ memory }: Pick<ProcessLimits, "memory">): number {
  return Math.min(Math.floor(memory / memoryParts), portLimits.requestMemory);
}

/** How many connections may be opening: at most half of all, so that slow handshakes leave room for others. */
export function openingsAmong(connections: number): number {
  return Math.max(1, Math.min(portLimits.openings, Math.floor(connections / 2)));
}
