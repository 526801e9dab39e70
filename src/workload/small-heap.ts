import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Keeps the memory of a process small that works for milliseconds and then waits for half an hour. V8 collects garbage only
 * when much has been allocated, and compiles what has run often: over a month of renewals, the agent would grow by 30 MiB of
 * private memory and 10 MiB of pages that the compilers occupy.
 * @returns a function that collects garbage, which takes some milliseconds. It does nothing if V8 does not provide it.
 */
export function keepHeapSmall(): () => void {
  // V8 reads these flags when a function could be compiled. The interpreter is enough.
  for (const flag of ["--no-sparkplug", "--no-maglev", "--no-opt", "--expose-gc"]) setFlagsFromString(flag);
  const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined");
  return typeof collect === "function" ? () => void collect() : () => undefined;
}
