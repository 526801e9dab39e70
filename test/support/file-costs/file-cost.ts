/** What a test file cost, with the import of what it tests, in seconds. */
export interface FileCost {
  /** The CPU time of the worker, and of the processes that the file started and that have ended. */
  readonly cpu: number;
  readonly wall: number;
}

/** The environment variable with the number of files to list. */
export const costsVariable = "MUSTER_TEST_COSTS";

declare module "vitest" {
  interface TaskMeta {
    cost?: FileCost;
  }
}
