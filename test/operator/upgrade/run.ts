import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "#test/platform/fuzz/random.ts";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { saveLogs } from "#test/support/harness/save-logs.ts";
import { TrafficCounter } from "#test/support/harness/traffic.ts";
import { findViolations } from "./check.ts";
import { type Declared, setSize } from "./declarations.ts";
import type { UpgradeOptions } from "./options.ts";
import type { Picture } from "./picture.ts";
import type { Release } from "./release.ts";
import { line } from "./report.ts";
import { handovers, runTurn, settled, startLeader, type TurnResult } from "./turn.ts";
import { planWork } from "./work.ts";
import { type DeclaredSet, World } from "./world.ts";

/** A set is deleted this many turns after it was created. */
const lifetime = 2;

export interface Releases {
  readonly older: Release;
  readonly newer: Release;
}

/**
 * All turns: the older build leads first, and at the end the build of the last turn deletes everything.
 * @param report is called with each result, what was wrong, and the folder of logs and states that explain it
 */
export async function runUpgrades(
  { older, newer }: Releases,
  { turns, objects, seed }: UpgradeOptions,
  report: (text: string, violations: readonly string[], evidence?: string) => void,
): Promise<readonly TurnResult[]> {
  await using resources = new AsyncDisposableStack();
  const controlPlane = resources.adopt(await startControlPlane({ audit: true }), (one) => one.stop());
  const world = resources.adopt(await World.start(controlPlane, older, newer), (one) => one.stop());
  const counter = new TrafficCounter(controlPlane, world.system);
  const random = new Random(seed, "upgrade");

  const sets: DeclaredSet[] = [];
  for (let number = 0; number < Math.ceil(objects / setSize); number += 1) sets.push(await world.prepareSet());
  // Each set is prepared a turn before it is declared: what others made after the last list is not what is tested here.
  let next = await world.prepareSet();
  let leader = await startLeader(world, older);
  await leader.leads();
  await declareFirst(world, older, sets);
  await settled(world, counter);
  // The last sets are deleted by the first turns.
  const [kept, leaving] = [sets.slice(0, -lifetime), sets.slice(-lifetime)];
  await world.addStrangers(kept.filter((_, index) => index % 6 === 0));
  await settled(world, counter);
  let picture: Picture = await world.picture();
  const first = findViolations(picture, world.expectation(undefined));
  report(`${older.name} leads first, with ${world.declared.size} objects`, first);
  // Turns would compare with a state that is not as declared.
  if (first.length > 0) return [];

  const results: TurnResult[] = [];
  for (let number = 1; number <= turns; number += 1) {
    const isUpgrade = number % 2 === 1;
    const created = next;
    next = await world.prepareSet();
    const deleted = leaving.shift()?.members ?? [];
    leaving.push(created);
    const turn = {
      number,
      ...(isUpgrade ? { from: older, to: newer } : { from: newer, to: older }),
      handover: handovers[number % handovers.length] ?? "stop",
      // Helm restores the chart of the operator alone, or both.
      appliesDefinitions: isUpgrade || number % 4 === 0,
    };
    const work = planWork(created.members, deleted);
    const after = await runTurn(world, counter, turn, { leader, before: picture, random, work });
    ({ leader, picture } = after);
    results.push(after.result);
    const { violations } = after.result;
    report(line(after.result), violations, await saveEvidence(world, `turn-${number}`, violations));
  }
  const last = await deleteAll(world);
  report("everything is deleted", last, await saveEvidence(world, "end", last));
  return results;
}

/** Saves what explains violations, if there are any. @returns the folder */
async function saveEvidence(world: World, moment: string, violations: readonly string[]): Promise<string | undefined> {
  if (violations.length === 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), `muster-upgrade-${moment}-`));
  await saveLogs(world.system, folder);
  const { objects, resources } = await world.picture();
  const picture = { objects: [...objects.values()], resources: Object.fromEntries(resources) };
  await writeFile(join(folder, "picture.json"), JSON.stringify(picture, null, 2));
  return folder;
}

/** Declares all objects: the second half after the policy that adds the finalizer is installed. */
async function declareFirst(world: World, release: Release, sets: readonly DeclaredSet[]): Promise<void> {
  for (const [number, { members }] of sets.entries()) {
    if (number === sets.length >> 1) await world.install(release, release);
    await world.declare(members);
  }
}

const deletionTimeoutMs = 300_000;

/** Deletes every object. What is left is what others made, and what objects left to others. */
async function deleteAll(world: World): Promise<readonly string[]> {
  const members: readonly Declared[] = [...world.declared.values()];
  await world.removeStrangers();
  await world.delete(members);
  const deadline = performance.now() + deletionTimeoutMs;
  // A list that started before a deletion may show the resource without its object, until the next resync.
  const isOver = async () => world.watch.objects.size === 0 && (await world.picture()).orphans.length === 0;
  while (!(await isOver()) && performance.now() < deadline) await sleep(1_000);
  return findViolations(await world.picture(), world.expectation(undefined));
}
