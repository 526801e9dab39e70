import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { FaultProxy } from "./fault-proxy.ts";
import type { Operator } from "./operator.ts";
import { leakedSecrets } from "./secrets.ts";
import { System, type SystemOptions } from "./system.ts";

interface Options extends Omit<SystemOptions, "controlPlane" | "rbac"> {
  readonly audit?: boolean;
}

/**
 * A suite with a system of its own: control plane, platform, and operators under the very rights that they are deployed
 * with, which reach the platform through a proxy. What the tests ask for is there only while a test runs. Whatever they
 * do, no token shows afterwards.
 */
export function describeWithProxiedSystem(
  name: string,
  tests: (system: () => System, proxy: () => FaultProxy) => void,
  { audit = false, platformFlags = [], ...options }: Options = {},
): void {
  describeWithControlPlane(
    name,
    (controlPlane) => {
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
      it("shows no token anywhere", async () => {
        expect(proxy.tokens.size).toBeGreaterThan(1);
        expect(await leakedSecrets(system, proxy.tokens)).toEqual([]);
      });
    },
    { audit },
  );
}

/** As `describeWithProxiedSystem`, without a proxy and with one operator that leads. */
export function describeWithSystem(
  name: string,
  tests: (system: () => System, operator: () => Operator) => void,
  { operatorFlags = [], audit = false, ...options }: Options & { readonly operatorFlags?: readonly string[] } = {},
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
      it("shows no token anywhere", async () => {
        expect(await leakedSecrets(system)).toEqual([]);
      });
    },
    { audit },
  );
}
