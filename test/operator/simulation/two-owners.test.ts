import { expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { carriedMarker, ownerHash, ownerOf, saysAdopted } from "#src/kinds/marker.ts";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import { violations } from "./invariants.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

const uid = `${root}/eeeeeeeeeeeeeeee`;
const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const handMade = { uid, name: "ci", description: "by hand", claimMatch };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: root, claimMatch, policy: { management: "Full", drift: "Correct", adoption: "IfExists" } },
};

function statusOf({ kube }: Scenario): Status | undefined {
  return kube.find(ci.kind, ci.name)?.status as Status | undefined;
}

const reasonOf = (scenario: Scenario) => statusOf(scenario)?.conditions?.find(({ type }) => type === "Ready")?.reason;

/** Two clusters, with an owner id each, adopt the same identity. The second one starts `gapMs` later. */
async function adoptTwice(fault: Fault, gapMs: number) {
  const first = new Scenario(fault, undefined, undefined, { ownerId: "first" });
  const second = new Scenario({}, undefined, undefined, { ownerId: "second", beside: first });
  const { platform } = first;
  platform.set("identities", handMade);
  first.kube.apply(ci);
  await first.pass(gapMs);
  second.kube.apply(ci);
  const settled = (one: Scenario) => reasonOf(one) === "Available" || reasonOf(one) === "Conflict";
  for (const one of [first, second]) await one.until("settled", () => settled(one));
  await first.pass(60_000);
  for (const one of [first, second]) await one.resync();
  await first.pass(60_000);
  for (const one of [first, second]) await one.until("settled", () => settled(one));
  // Exactly one has it, and the marker says which.
  const owners = [first, second].filter((one) => reasonOf(one) === "Available");
  expect(owners).toHaveLength(1);
  const [winner, loser] = owners[0] === first ? [first, second] : [second, first];
  const adopted = platform.createdIn("identities")[0] as typeof handMade;
  expect(platform.created()).toHaveLength(1);
  expect(saysAdopted(adopted.description)).toBe(true);
  expect(ownerOf(carriedMarker(adopted) ?? "")).toBe(ownerHash(winner === first ? "first" : "second"));
  expect(violations(winner.kube, platform, { ownerId: winner === first ? "first" : "second" })).toEqual([]);
  const { calls } = first;
  // The one in Conflict gives up without a change; then the owner does, and the identity is as it was.
  loser.kube.remove(ci);
  await loser.until("gone", () => loser.kube.objects().length === 0);
  expect(platform.created()).toEqual([adopted]);
  winner.kube.remove(ci);
  await winner.until("gone", () => winner.kube.objects().length === 0);
  expect(platform.created()).toEqual([handMade]);
  return { calls, posts: platform.posts, crashed: first.crashed };
}

it("one of two owners adopts a resource, whichever comes first", async () => {
  let count = 0;
  for (let gapMs = 0; gapMs <= 30; gapMs += 1) {
    await adoptTwice({}, gapMs).catch((error: Error) => {
      throw new Error(`the second came after ${gapMs} ms: ${error.message}`, { cause: error });
    });
    count += 1;
  }
  console.info(`${count} moments`);
});

it.each([0, 4, 7])(
  "one of two owners adopts a resource, with a crash of the first at every call, %i ms apart",
  async (gapMs) => {
    const { crashes } = await withEveryFault((fault) => adoptTwice(fault, gapMs));
    console.info(`${crashes} crash points`);
    expect(crashes * oneIn).toBeGreaterThan(15);
  },
);
