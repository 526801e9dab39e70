import { inTurn, turnText } from "#test/support/turn/in-turn.ts";
import { turnVariable } from "#test/support/turn/turn.ts";
import { lostResponses } from "./memory-platform.ts";
import { crashMoments } from "./operator-process.ts";
import type { Fault, Run } from "./scenario.ts";

export interface FaultPoints {
  readonly tried: number;
  /** In how many runs a process died. */
  readonly crashes: number;
  readonly lost: number;
}

/** A fault at one moment of a run. */
export interface FaultPoint {
  readonly name: string;
  readonly fault: Fault;
}

/** A crash before and after every call. */
export function crashPoints({ calls }: Pick<Run, "calls">): readonly FaultPoint[] {
  return Array.from({ length: calls }, (_, call) =>
    crashMoments.map((when) => ({ name: `crash ${when} call ${call}`, fault: { crash: { call, when } } })),
  ).flat();
}

/** The loss of the response to every POST. */
export function lossPoints({ posts }: Pick<Run, "posts">): readonly FaultPoint[] {
  return Array.from({ length: posts }, (_, post) =>
    lostResponses.map((how) => ({ name: `POST ${post} ${how}`, fault: { lose: { post, how } } })),
  ).flat();
}

/**
 * Runs `run` without a fault, and then with each fault of the points that have their turn. `run` checks the result itself.
 * @param pointsOf by default, a crash before and after every call, and the loss of the response to every POST
 * @throws {Error} that names the fault
 */
export async function withEveryFault(
  run: (fault: Fault) => Promise<Run>,
  pointsOf: (run: Run) => readonly FaultPoint[] = (whole) => [...crashPoints(whole), ...lossPoints(whole)],
): Promise<FaultPoints> {
  let [crashes, lost] = [0, 0];
  const points = inTurn(pointsOf(await run({})));
  for (const { name, fault } of points) {
    const { crashed } = await run(fault).catch((error: Error) => {
      throw new Error(`${name} (${turnVariable}=${turnText}): ${error.message}`, { cause: error });
    });
    if (fault.lose !== undefined) lost += 1;
    else if (crashed) crashes += 1;
  }
  return { tried: points.length, crashes, lost };
}
