import { setTimeout as sleep } from "node:timers/promises";
import type { Journal } from "./journal.ts";
import { leaseMs, settleMs, type World } from "./world.ts";

/** What happens to processes and connections. A name that is there twice happens twice as often. */
export const disturbances = [
  "kill leader",
  "kill leader",
  "kill follower",
  "kill platform",
  "pause",
  "cut",
  "stall",
  "restart API server",
] as const;

type Disturbance = (typeof disturbances)[number];

interface Options {
  /** How long it lasts, if it lasts. From `longMs` on, the leader loses its Lease. */
  readonly ms: number;
  /** Gets what is not over when `disturb` resolves. */
  readonly background: Promise<void>[];
}

const longMs = 800;
/** A new leader begins once the Lease has expired, and creates something once it is certain that the one before does not. */
const takeoverMs = leaseMs + settleMs;

/** How long after `disturb` has resolved it takes until an operator works again. */
export function recoveryMs(disturbance: Disturbance, ms: number): number {
  switch (disturbance) {
    case "kill leader":
    case "pause":
      return takeoverMs;
    case "stall":
      return ms < longMs ? ms : ms + leaseMs + takeoverMs;
    case "restart API server":
      return ms < longMs ? 0 : takeoverMs;
    case "kill follower":
    case "kill platform":
    case "cut":
      return 0;
  }
}

/** Disturbs a process or a connection, and notes it in the journal. */
export async function disturb(
  world: World,
  journal: Journal,
  disturbance: Disturbance,
  { ms, background }: Options,
): Promise<void> {
  const { counts } = journal;
  const outageMs = ms < longMs ? 0 : leaseMs + ms;
  const over = journal.noteDisturbance();
  switch (disturbance) {
    case "kill leader":
    case "kill follower": {
      const { leader, follower } = world.operators;
      counts.kills += 1;
      await (disturbance === "kill leader" ? leader : follower)?.kill();
      break;
    }
    case "kill platform":
      counts.kills += 1;
      await world.restartPlatform(ms);
      break;
    case "pause": {
      const { leader } = world.operators;
      if (leader === undefined) break;
      counts.pauses += 1;
      leader.signal("SIGSTOP");
      const resume = () => {
        leader.signal("SIGCONT");
        journal.noteDisturbance();
      };
      background.push(sleep(leaseMs + ms + 1_000).then(resume));
      break;
    }
    case "cut":
      counts.cuts += 1;
      world.kubernetes.cut();
      break;
    case "stall": {
      counts.stalls += 1;
      world.kubernetes.stall();
      const resume = () => {
        world.kubernetes.resume();
        over();
      };
      background.push(sleep(outageMs === 0 ? ms : outageMs).then(resume));
      return;
    }
    case "restart API server":
      counts.kills += 1;
      await world.restartApiServer(outageMs);
  }
  over();
}
