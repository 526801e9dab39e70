import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "#test/platform/fuzz/random.ts";
import { tenantWrites, type Traffic, trafficBetween, type TrafficCounter } from "#test/support/harness/traffic.ts";
import { excessiveCalls, writingCalls } from "./calls.ts";
import { findViolations, isSettled } from "./check.ts";
import { Leader } from "./leader.ts";
import type { Picture } from "./picture.ts";
import { applyDefinitionsOf, type Release } from "./release.ts";
import { doWork, type WorkPlan } from "./work.ts";
import type { World } from "./world.ts";

const resyncSeconds = 5;
const flags = ["--platform-timeout=5s", "--settle-time=6s", `--resync=${resyncSeconds}s`, "--breaker-objects=1000"];
/** Two resyncs, each of which is up to a tenth later. */
const restMs = 2.3 * resyncSeconds * 1_000;
const settleTimeoutMs = 300_000;
/** Nothing is written for this long before a turn is compared: what waits is reported after 2 s. */
const quietMs = 3_000;
/**
 * An object that nobody touched may be written this often when another build begins to lead: one that is in conflict waits until it
 * is certain that the leader before created nothing for it, which is reported, and is in conflict again.
 */
const writesPerStart = 2;

/** How a leader ends, and the next one begins. */
export const handovers = ["stop", "kill", "overlap"] as const;

export interface Turn {
  readonly number: number;
  readonly from: Release;
  readonly to: Release;
  readonly handover: (typeof handovers)[number];
  /** Whether the CRDs of the next build are applied. */
  readonly appliesDefinitions: boolean;
}

/** What a turn cost, and what was wrong after it. */
export interface TurnResult {
  readonly number: number;
  readonly leader: string;
  readonly handover: string;
  readonly objects: number;
  /** From the end of the old leader until nothing was left to do. */
  readonly seconds: number;
  /** The writes to objects that nobody touched, each by the reason of Ready after it. */
  readonly untouchedWrites: Readonly<Record<string, readonly string[]>>;
  /** The requests of the switch, including those of the work while no operator led, and of two resyncs at rest. */
  readonly switched: Figures;
  readonly atRest: Figures;
  /** How often the leader was started again, because it had lost its Lease on a busy machine. */
  readonly restarts: number;
  readonly violations: readonly string[];
}

export interface Figures {
  readonly platformCalls: number;
  readonly objectWrites: number;
  readonly tenantWrites: number;
  readonly platform: Traffic["platform"];
}

export function startLeader(world: World, release: Release): Promise<Leader> {
  return Leader.start(async () => (await world.system.startOperator(flags, { program: release.program })).process);
}

/** Lets the next build lead, with work before and after it begins, and checks everything at rest. */
export async function runTurn(
  world: World,
  counter: TrafficCounter,
  turn: Turn,
  { leader: old, before, random, work }: { leader: Leader; before: Picture; random: Random; work: WorkPlan },
): Promise<{ readonly result: TurnResult; readonly leader: Leader; readonly picture: Picture }> {
  const { from, to, handover, appliesDefinitions } = turn;
  startAccounts(world);
  const start = await counter.read();
  // The chart of the CRDs is upgraded first. That of the operator replaces its pods last.
  if (appliesDefinitions) await applyDefinitionsOf(to, world.kube);
  await world.install(to, from);
  let leader = handover === "overlap" ? await startLeader(world, to) : undefined;
  if (handover === "stop") await old.stop();
  const inGap = doWork(world, random, work.inGap);
  // In the middle of the work.
  if (handover === "kill") await sleep(random.int(0, 1_500)).then(() => old.kill());
  const startedAt = performance.now();
  await inGap;
  if (handover === "overlap") await old.stop();
  leader ??= await startLeader(world, to);
  await leader.leads();
  await settled(world, counter);
  const seconds = (performance.now() - startedAt) / 1_000;
  const switched = figuresBetween(start, await counter.read());
  const writes = [...world.watch.takeWrites()].filter(([key]) => !world.touched.has(key));
  const violations = writes
    .filter(([, { length }]) => length > writesPerStart * (1 + leader.restarts))
    .map(([key, reasons]) => `${key}: nobody touched it, and it was written: ${reasons.join(", ")}`);

  await doWork(world, random, work.whileLeading);
  await settled(world, counter);
  violations.push(...excessiveCalls(trafficBetween(start, await counter.read()).platform, world));
  const { atRest, violations: changes } = await rest(world, counter);
  const picture = await world.picture();
  violations.push(...changes, ...findViolations(picture, world.expectation(before)));
  violations.push(...old.crashes, ...leader.crashes);
  const result = {
    number: turn.number,
    leader: to.name,
    handover: `${handover}${appliesDefinitions ? "" : ", newer CRDs stay"}`,
    objects: world.declared.size,
    seconds,
    untouchedWrites: Object.fromEntries(writes),
    switched,
    atRest,
    restarts: leader.restarts,
    violations,
  };
  return { result, leader, picture };
}

function startAccounts(world: World): void {
  world.touched.clear();
  world.creations.clear();
  world.deletions.clear();
  world.watch.takeWrites();
}

/** Waits until every object is as expected, those that were deleted are gone, and nothing is written any more; or too long. */
export async function settled(world: World, counter: TrafficCounter): Promise<void> {
  const deadline = performance.now() + settleTimeoutMs;
  while (performance.now() < deadline) {
    const { objects, quietMs: quiet } = world.watch;
    const isDone =
      objects.size === world.declared.size &&
      [...world.declared].every(([key, one]) => isSettled(objects.get(key), one));
    if (isDone && quiet >= quietMs) break;
    await sleep(200);
  }
  // The reading is for what has begun before.
  await counter.read();
}

/** Counts what is written although nothing happens. */
async function rest(world: World, counter: TrafficCounter): Promise<{ atRest: Figures; violations: string[] }> {
  // The first resync of a leader may still report what only it shows.
  await sleep(1.2 * resyncSeconds * 1_000);
  world.watch.takeWrites();
  const start = await counter.read();
  await sleep(restMs);
  const atRest = figuresBetween(start, await counter.read());
  const violations = [...world.watch.takeWrites()].map(
    ([key, reasons]) => `${key} was written at rest: ${reasons.join(", ")}`,
  );
  violations.push(...writingCalls(atRest.platform));
  return { atRest, violations };
}

function figuresBetween(...readings: Parameters<typeof trafficBetween>): Figures {
  const traffic = trafficBetween(...readings);
  const toTenants = tenantWrites(traffic);
  return {
    platformCalls: traffic.platformCalls,
    objectWrites: traffic.kubernetesWrites - toTenants,
    tenantWrites: toTenants,
    platform: traffic.platform,
  };
}
