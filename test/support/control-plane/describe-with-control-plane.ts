import { afterAll, beforeAll, describe, it } from "vitest";
import { type ControlPlane, startControlPlane, type StartOptions } from "./control-plane.ts";
import { findPrograms } from "./programs.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

const print = (line: string) => void process.stderr.write(`control plane: ${line}\n`);

/** Undefined if the programs were found, or built, which happens before any test is collected. */
const unavailable = await findPrograms({ progress: print }).then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof ControlPlaneUnavailable) return error;
    throw error;
  },
);

/**
 * A suite with a control plane of its own, from the first test to the last. Without the programs, the suite is skipped
 * and reports the skip; with `CI=true` it fails, because nobody would read the report.
 */
export function describeWithControlPlane(
  name: string,
  tests: (controlPlane: () => ControlPlane) => void,
  options: Pick<StartOptions, "audit"> = {},
): void {
  if (unavailable && process.env["CI"] === "true") {
    describe(name, () => {
      it("has a control plane", () => {
        throw unavailable;
      });
    });
    return;
  }
  if (unavailable) {
    print(`SKIPPED "${name}": ${unavailable.message}`);
    describe.skip(`${name} (skipped: ${unavailable.message})`, () => tests(() => never()));
    return;
  }
  describe(name, () => {
    let controlPlane: ControlPlane | undefined;
    beforeAll(async () => {
      controlPlane = await startControlPlane({ ...options, progress: print });
    });
    afterAll(() => controlPlane?.stop());
    tests(() => controlPlane ?? never());
  });
}

function never(): never {
  throw new Error("the control plane exists only while a test runs: call controlPlane() inside of the test");
}
