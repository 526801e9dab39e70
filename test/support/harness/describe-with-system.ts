import { afterAll, beforeAll, expect, it } from "vitest";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import {
  describeWithControlPlane,
  describeWithNewControlPlane,
} from "#test/support/control-plane/describe-with-control-plane.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { FaultProxy } from "./fault-proxy.ts";
import type { Operator } from "./operator.ts";
import { leakedSecrets } from "./secrets.ts";
import { System, type SystemOptions } from "./system.ts";

type Options = Omit<SystemOptions, "controlPlane" | "rbac">;

/**
 * A suite with a system to itself: a control plane, the platform behind a proxy, and the operators that its tests
 * start, with the permissions of the deployment. The system exists only while a test runs. After the tests, no token
 * may appear in logs, metrics or objects.
 */
export function describeWithProxiedSystem(
  name: string,
  tests: (system: () => System, proxy: () => FaultProxy) => void,
  { platformFlags = [], ...options }: Options = {},
): void {
  describeWithControlPlane(name, (controlPlane) => {
    let proxy: FaultProxy;
    let system: System;
    beforeAll(async () => {
      proxy = await FaultProxy.start();
      system = await System.start({
        ...options,
        controlPlane: controlPlane(),
        rbac: await loadOperatorRbac(),
        platformFlags: ["--base-url", proxy.url, ...platformFlags],
      });
      proxy.target = system.platformUrl;
    });
    afterAll(async () => {
      await system?.stop();
      await proxy?.stop();
    });
    tests(
      () => system,
      () => proxy,
    );
    it("leaks no token", async () => {
      expect(proxy.tokens.size).toBeGreaterThan(1);
      expect(await leakedSecrets(system, proxy.tokens)).toEqual([]);
    });
  });
}

interface LedOptions extends Options {
  readonly operatorFlags?: readonly string[];
  /** Have the control plane, which is then a new one, log all requests, for `requestCounts`; by default false. */
  readonly audit?: boolean;
}

/** Like `describeWithProxiedSystem`, but without a proxy and with one operator, which leads. */
export function describeWithSystem(
  name: string,
  tests: (system: () => System, operator: () => Operator) => void,
  { operatorFlags = [], audit = false, ...options }: LedOptions = {},
): void {
  const withSystem = (controlPlane: () => ControlPlane) => {
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
    it("leaks no token", async () => {
      expect(await leakedSecrets(system)).toEqual([]);
    });
  };
  if (audit) describeWithNewControlPlane(name, withSystem, { audit });
  else describeWithControlPlane(name, withSystem);
}
