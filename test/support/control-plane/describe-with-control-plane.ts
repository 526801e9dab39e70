import { afterAll, beforeAll, describe, it } from "vitest";
import { type ControlPlane, startControlPlane, type StartOptions } from "./control-plane.ts";
import { findPrograms } from "./programs.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

const say = (line: string) => void process.stderr.write(`control plane: ${line}\n`);

/** Undefined where the programs are there: they are looked for, and built if need be, before any test is collected. */
const unavailable = await findPrograms({ progress: say }).then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof ControlPlaneUnavailable) return error;
    throw error;
  },
);

/**
 * A suite with a control plane of its own, there from the first test to the last. Where none can be had the suite is
 * skipped, loudly; with `CI=true` it fails, because there nobody would read that nothing was tested.
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
    say(`SKIPPED "${name}": ${unavailable.message}`);
    describe.skip(`${name} (skipped: ${unavailable.message})`, () => tests(() => never()));
    return;
  }
  describe(name, () => {
    let controlPlane: ControlPlane | undefined;
    beforeAll(async () => {
      controlPlane = await startControlPlane({ ...options, progress: say });
    });
    afterAll(() => controlPlane?.stop());
    tests(() => controlPlane ?? never());
  });
}

function never(): never {
  throw new Error("the control plane is there only while a test runs: ask for it inside of the test");
}
