import type { AddOptions } from "#src/runtime/queue.ts";

/** Adds the object at `key` to the queue of the kind with the name `kind`. */
export type Enqueue = (kind: string, key: string, options: AddOptions) => void;
