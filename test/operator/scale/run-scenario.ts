import type { Program } from "#test/support/bench/bundle.ts";
import type { Outcome } from "./figure.ts";
import type { ScaleOptions, ScenarioName } from "./options.ts";
import { adoption } from "./scenarios/adoption.ts";
import { namespaces } from "./scenarios/namespaces.ts";
import { noisy } from "./scenarios/noisy.ts";
import { outage } from "./scenarios/outage.ts";
import { rest } from "./scenarios/rest.ts";
import { tenants } from "./scenarios/tenants.ts";
import { startProxiedWorld, startWorld, type World } from "./world.ts";

const onItsOwn: Readonly<
  Record<Exclude<ScenarioName, "outage">, (world: World, options: ScaleOptions) => Promise<Outcome>>
> = { tenants, noisy, adoption, namespaces, rest };

/** Runs one scenario with servers of its own. @throws {Error} with the last output of the operator if it fails */
export async function runScenario(
  name: ScenarioName,
  options: ScaleOptions,
  program: Program,
  progress: (phase: string) => void,
): Promise<Outcome> {
  await using resources = new AsyncDisposableStack();
  progress("starting the servers");
  const settings = { program, progress };
  if (name === "outage") {
    const world = await startProxiedWorld(resources, settings);
    return await withLastOutput(world, outage(world, options));
  }
  const world = await startWorld(resources, settings);
  return await withLastOutput(world, onItsOwn[name](world, options));
}

async function withLastOutput({ system, crashed }: World, run: Promise<Outcome>): Promise<Outcome> {
  return Promise.race([run, crashed]).catch((error: Error) => {
    throw new Error(`${error.message}\nThe operator: ${system.operators.at(-1)?.lastOutput()}`, { cause: error });
  });
}
