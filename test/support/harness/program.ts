import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programVariable } from "./program-variable.ts";

const built = process.env[programVariable];

/**
 * The program that tests and demos start: the bundle, if the test run has built one, because it starts with a third of the CPU
 * time; otherwise the source. `MUSTER_TEST_PROGRAM=src/main.ts` has a test run start the source, for its stack traces.
 */
export const program = built ?? fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

/** Variables of its processes. What is compiled of a bundle is removed with it. */
export const programEnvironment: Readonly<Record<string, string>> = built?.endsWith(".mjs")
  ? { NODE_COMPILE_CACHE: join(dirname(built), "compiled") }
  : {};
