import { lostResponses } from "./memory-platform.ts";
import { crashMoments } from "./operator-process.ts";
import type { Fault, Scenario } from "./scenario.ts";

export interface FaultPoints {
  readonly crashes: number;
  readonly lost: number;
}

/**
 * Runs `run` without a fault, then with a crash before and after every call, and then with the loss of the response to every
 * POST. `run` checks the result itself. @throws {Error} that names the fault
 */
export async function withEveryFault(run: (fault: Fault) => Promise<Scenario>): Promise<FaultPoints> {
  const { calls, platform } = await run({});
  const runWith = async (fault: Fault, name: string) =>
    run(fault).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  let [crashes, lost] = [0, 0];
  for (let call = 0; call < calls; call += 1)
    for (const when of crashMoments)
      if ((await runWith({ crash: { call, when } }, `crash ${when} call ${call}`)).crashed) crashes += 1;
  for (let post = 0; post < platform.posts; post += 1)
    for (const how of lostResponses) {
      await runWith({ lose: { post, how } }, `POST ${post} ${how}`);
      lost += 1;
    }
  return { crashes, lost };
}
