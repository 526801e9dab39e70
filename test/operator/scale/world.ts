import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { Observer } from "#test/support/bench/observer.ts";
import { type ControlPlane, startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import { FaultProxy } from "#test/support/harness/fault-proxy.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { System } from "#test/support/harness/system.ts";
import { TrafficCounter } from "#test/support/harness/traffic.ts";

/** The servers of one scenario, without Tenants and without an operator. */
export interface World {
  readonly controlPlane: ControlPlane;
  readonly system: System;
  /** Watches the objects of all namespaces. */
  readonly observer: Observer;
  readonly counter: TrafficCounter;
  /** Rejects when an operator ends on its own. */
  readonly crashed: Promise<never>;
  /** Starts one more operator. */
  startOperator(flags?: readonly string[]): Promise<Operator>;
  readonly program: Program;
  readonly progress: (phase: string) => void;
}

/** A world whose operators reach the platform through a proxy. */
export interface ProxiedWorld extends World {
  readonly proxy: FaultProxy;
}

type Settings = Pick<World, "program" | "progress">;

/** Starts the servers, which end with `resources`. */
export async function startWorld(resources: AsyncDisposableStack, settings: Settings): Promise<World> {
  return start(resources, settings);
}

/** Like `startWorld`, with a proxy. */
export async function startProxiedWorld(resources: AsyncDisposableStack, settings: Settings): Promise<ProxiedWorld> {
  const proxy = resources.adopt(await FaultProxy.start(), (one) => one.stop());
  const world = await start(resources, settings, proxy.url);
  proxy.target = world.system.platformUrl;
  return { ...world, proxy };
}

async function start(
  resources: AsyncDisposableStack,
  { program, progress }: Settings,
  proxyUrl?: string,
): Promise<World> {
  const controlPlane = resources.adopt(await startControlPlane({ audit: true }), (one) => one.stop());
  const system = resources.adopt(
    await System.start({
      controlPlane,
      namespaces: [],
      tenants: () => [],
      program: program.file,
      run: () => ({ env: program.env }),
      rbac: await loadOperatorRbac(),
      platformPort: await freePort(),
      platformFlags: proxyUrl === undefined ? [] : ["--base-url", proxyUrl],
    }),
    (one) => one.stop(),
  );
  const observer = resources.adopt(new Observer(controlPlane.admin), (one) => one.stop());
  const crashes = Promise.withResolvers<never>();
  crashes.promise.catch(() => {});
  return {
    controlPlane,
    system,
    observer,
    counter: new TrafficCounter(controlPlane, system),
    program,
    progress,
    crashed: crashes.promise,
    startOperator: async (flags = []) => {
      const operator = await system.startOperator(flags, proxyUrl === undefined ? {} : { platformUrl: proxyUrl });
      const { process } = operator;
      void process.ended.then(() => {
        // After SIGTERM it exits with 0.
        if (process.exitCode !== 0)
          crashes.reject(new Error(`the operator ended with ${process.exitCode ?? process.signalCode}`));
      });
      return operator;
    },
  };
}
