import { lostResponses } from "./memory-platform.ts";
import { crashMoments } from "./operator-process.ts";
import type { Fault } from "./scenario.ts";

/** What a run shows that the faults are enumerated from. */
export interface Run {
  /** The number of calls until everything was at rest. */
  readonly calls: number;
  readonly posts: number;
  readonly crashed: boolean;
}

export interface FaultPoints {
  readonly crashes: number;
  readonly lost: number;
}

/**
 * One in how many fault points `withEveryFault` runs: all of them take a quarter of an hour. With `MUSTER_FAULT_POINTS=all`
 * it runs all.
 */
export const oneIn = process.env["MUSTER_FAULT_POINTS"] === "all" ? 1 : 3;

/**
 * Runs `run` without a fault, then with a crash before and after every call, and then with the loss of the response to every
 * POST; or with one in `oneIn` of these, evenly spread. `run` checks the result itself.
 * @throws {Error} that names the fault
 */
export async function withEveryFault(run: (fault: Fault) => Promise<Run>): Promise<FaultPoints> {
  const { calls, posts } = await run({});
  const runWith = async (fault: Fault, name: string) =>
    run(fault).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  let [crashes, lost] = [0, 0];
  // Where it begins depends on the case, so that all cases together cover every moment.
  let point = calls + posts;
  const isChosen = () => (point += 1) % oneIn === 0;
  for (let call = 0; call < calls; call += 1)
    for (const when of crashMoments)
      if (isChosen() && (await runWith({ crash: { call, when } }, `crash ${when} call ${call}`)).crashed) crashes += 1;
  for (let post = 0; post < posts; post += 1)
    for (const how of lostResponses) {
      if (!isChosen()) continue;
      await runWith({ lose: { post, how } }, `POST ${post} ${how}`);
      lost += 1;
    }
  return { crashes, lost };
}
