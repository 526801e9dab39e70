import { afterAll, beforeAll, describe, it } from "vitest";
import { type ControlPlane, startControlPlane, type StartOptions } from "./control-plane.ts";
import { findPrograms } from "./programs.ts";
import { borrowControlPlane, giveBack } from "./shared-control-plane.ts";
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

type Tests = (controlPlane: () => ControlPlane) => void;

interface Loan {
  readonly controlPlane: ControlPlane;
  /** Called after the last test. */
  readonly end: () => Promise<void>;
}

/**
 * A suite with a control plane to itself from the first test to the last, in which nothing is but, perhaps, the custom resources of
 * `crds/`. One suite of this process after another has it, because a start takes three CPU seconds. Without the programs, the suite
 * is skipped and reports the skip; with `CI=true` it fails, because nobody would read the report.
 */
export function describeWithControlPlane(name: string, tests: Tests): void {
  describeWith(name, tests, () => borrow({ defined: true }));
}

/** The same for a suite that must find no custom resources, or leaves others than those of `crds/`. */
export function describeWithBareControlPlane(name: string, tests: Tests): void {
  describeWith(name, tests, () => borrow({ defined: false }));
}

/** The same with a new control plane, for a suite that changes what its etcd does not have. */
export function describeWithNewControlPlane(
  name: string,
  tests: Tests,
  options: Pick<StartOptions, "audit"> = {},
): void {
  describeWith(name, tests, async () => {
    const controlPlane = await startControlPlane({ ...options, progress: print });
    return { controlPlane, end: async () => controlPlane.stop() };
  });
}

async function borrow({ defined }: { readonly defined: boolean }): Promise<Loan> {
  const shared = await borrowControlPlane({ defined, progress: print });
  return { controlPlane: shared.controlPlane, end: async () => giveBack(shared) };
}

function describeWith(name: string, tests: Tests, lend: () => Promise<Loan>): void {
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
    let loan: Loan | undefined;
    beforeAll(async () => {
      loan = await lend();
    });
    afterAll(() => loan?.end());
    tests(() => loan?.controlPlane ?? never());
  });
}

function never(): never {
  throw new Error("the control plane exists only while a test runs: call controlPlane() inside of the test");
}
