import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import type { Run } from "#test/support/bench/benchmark.ts";
import { Observer } from "#test/support/bench/observer.ts";
import { type ControlPlane, startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import type { FaultProxy } from "#test/support/harness/fault-proxy.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { System, type SystemOptions } from "#test/support/harness/system.ts";
import { TrafficCounter } from "#test/support/harness/traffic.ts";

/** The servers of one case, without an operator. */
export interface World {
  readonly controlPlane: ControlPlane;
  readonly system: System;
  /** Watches the objects of all namespaces. */
  readonly observer: Observer;
  /** Counts the requests of operators. */
  readonly counter: TrafficCounter;
  readonly run: Run;
  /** Starts one more operator. */
  readonly startOperator: (flags?: readonly string[]) => Promise<Operator>;
}

export interface WorldOptions extends Pick<SystemOptions, "namespaces" | "tenants" | "platformFlags"> {
  /** Through which operators reach the platform. */
  readonly proxy?: FaultProxy;
}

/**
 * Starts the servers, measures in them, and stops them. The platform is that of this tree, the operators are what is measured.
 * @throws {Error} with the last output of the operator if the measurement fails, or if an operator ends on its own
 */
export async function inWorld<T>(
  run: Run,
  { proxy, ...options }: WorldOptions,
  measure: (world: World) => Promise<T>,
): Promise<T> {
  await using resources = new AsyncDisposableStack();
  run.progress("starting the servers");
  const controlPlane = resources.adopt(await startControlPlane({ audit: true }), (one) => one.stop());
  const platformFlags = [...(options.platformFlags ?? []), ...(proxy === undefined ? [] : ["--base-url", proxy.url])];
  const system = resources.adopt(
    await System.start({
      controlPlane,
      program: run.own.file,
      run: () => ({ env: run.own.env }),
      rbac: await loadOperatorRbac(),
      platformPort: await freePort(),
      ...options,
      platformFlags,
    }),
    (one) => one.stop(),
  );
  if (proxy !== undefined) proxy.target = system.platformUrl;
  const observer = resources.adopt(new Observer(controlPlane.admin), (one) => one.stop());
  const crash = Promise.withResolvers<never>();
  const startOperator = async (flags: readonly string[] = []) => {
    const through = proxy === undefined ? {} : { platformUrl: proxy.url };
    const operator = await system.startOperator(flags, { ...through, program: run.program });
    const { process } = operator;
    void process.ended.then(() => {
      // After SIGTERM it exits with 0.
      if (process.exitCode !== 0)
        crash.reject(new Error(`the operator ended with ${process.exitCode ?? process.signalCode}`));
    });
    return operator;
  };
  const counter = new TrafficCounter(controlPlane, system);
  try {
    return await Promise.race([
      measure({ controlPlane, system, observer, counter, run, startOperator }),
      crash.promise,
    ]);
  } catch (error) {
    const output = system.operators.at(-1)?.lastOutput();
    throw new Error(`${(error as Error).message}\nThe operator: ${output}`, { cause: error });
  }
}
