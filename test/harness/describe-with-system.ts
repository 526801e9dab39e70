import { afterAll, beforeAll } from "vitest";
import { describeWithControlPlane } from "../control-plane/describe-with-control-plane.ts";
import { loadOperatorRbac } from "../deploy/operator-rbac.ts";
import { type Operator, System, type SystemOptions } from "./system.ts";

interface Options extends Omit<SystemOptions, "controlPlane" | "rbac"> {
  readonly operatorFlags?: readonly string[];
  readonly audit?: boolean;
}

/**
 * A suite with a system of its own: control plane, platform, and one operator under the very rights that it is deployed
 * with. What the tests ask for is there only while a test runs.
 */
export function describeWithSystem(
  name: string,
  tests: (system: () => System, operator: () => Operator) => void,
  { operatorFlags = [], audit = false, ...options }: Options = {},
): void {
  describeWithControlPlane(
    name,
    (controlPlane) => {
      let system: System;
      let operator: Operator;
      beforeAll(async () => {
        system = await System.start({ ...options, controlPlane: controlPlane(), rbac: await loadOperatorRbac() });
        operator = await system.startOperator(operatorFlags);
        await operator.process.logged("leading");
      });
      afterAll(() => system?.stop());
      tests(
        () => system,
        () => operator,
      );
    },
    { audit },
  );
}
