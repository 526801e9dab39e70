import { setFlagsFromString } from "node:v8";

/**
 * Keeps the memory of a command small that reads much and then ends: V8 would let its young generation grow to more than 100 MiB
 * before it collects garbage, and all of the heap to several times what is in use. It costs a tenth of the time.
 */
export function keepHeapSmall(): void {
  // V8 reads the flags whenever the young generation, or the heap, could grow.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=50");
}
