import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { branch } from "./branch.ts";

interface Rate {
  readonly seconds: number;
  readonly perSecond: number;
  /** How many branches of `applyBranches` there are. */
  readonly branches: number;
}

type Change = (admin: KubeClient) => Promise<unknown>;

/** How many rounds the created objects stay. */
const kept = 25;

/** In each round, a branch is created, one that exists is edited, and one of an earlier round is deleted. */
function* changes(branches: number): Generator<Change> {
  for (let round = 0; ; round += 1) {
    for (const object of branch(`work-${round}`)) yield (admin) => admin.apply(object);
    for (const object of branch(`branch-${round % branches}`)) {
      const fields = { spec: { description: `edited in round ${round}` } };
      if (object["kind"] !== "RoleBinding") yield (admin) => admin.patch(object, fields);
    }
    if (round < kept) continue;
    for (const object of branch(`work-${round - kept}`).toReversed()) yield (admin) => admin.delete(object);
  }
}

/** Changes objects at a steady rate. @returns how many changes were made, and how many of them the API server refused */
export async function changeSteadily(
  admin: KubeClient,
  { seconds, perSecond, branches }: Rate,
): Promise<{ readonly made: number; readonly refused: number }> {
  const start = performance.now();
  let made = 0;
  let refused = 0;
  for (const change of changes(branches)) {
    const due = (made * 1_000) / perSecond;
    if (due >= seconds * 1_000) break;
    await sleep(Math.max(0, start + due - performance.now()));
    made += 1;
    await change(admin).catch(() => (refused += 1));
  }
  return { made, refused };
}
