import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { programVariable } from "./program-variable.ts";

const built = process.env[programVariable];

/**
 * The program that tests and demos start: the bundle, if the test run has built one, because it starts with a third of the CPU
 * time; otherwise the source. `MUSTER_TEST_PROGRAM=src/main.ts` has a test run start the source, for its stack traces.
 */
export const program = built ?? fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

/** Where Node keeps what it has compiled of the bundle, beside it, to be removed with it; undefined without a bundle. */
export const compiledFolder = built?.endsWith(".mjs") ? join(dirname(built), "compiled") : undefined;

/** Variables of its processes. */
export const programEnvironment: Readonly<Record<string, string>> =
  compiledFolder === undefined ? {} : { NODE_COMPILE_CACHE: compiledFolder };
