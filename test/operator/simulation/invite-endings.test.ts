import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { KubeError } from "#src/kube/errors.ts";
import { expectHandedOver, inviteOf, type InviteWorld, invites, shop, startWorld } from "./invite-world.ts";

/** An invite that is Ready, and whose uid only the Secret knows: the status was lost, and the process is dead. */
async function lostStatus(more: object = {}) {
  const world = startWorld();
  const { kube, apply, isReady, scenario } = world;
  const ada = inviteOf(scenario, "ada", more);
  kube.setSecret("ada", {});
  apply(shop, ada);
  await isReady();
  scenario.process.kill();
  kube.setStatus("GroupInvite", "ada", undefined);
  return { ...world, ada };
}

const gone = ({ scenario, kube }: InviteWorld) =>
  scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);

/** Calls `spoil` when the operator creates an invite. */
function onCreation({ platform }: InviteWorld, spoil: () => void): void {
  platform.fault = (call) => {
    if (call === "create groupInvites") spoil();
    return undefined;
  };
}

describe("a pause between the creation of an invite and the write of its Secret", () => {
  async function paused() {
    const world = startWorld();
    const { kube, apply, ada, scenario, ready } = world;
    kube.setSecret("ada", {});
    kube.refuses = ({ kind, dryRun }) => {
      if (kind !== "Secret" || dryRun === true) return undefined;
      kube.annotate("GroupInvite", "ada", { [pausedAnnotation]: "true" });
      return new KubeError({ call: "patch secrets", code: 503, reason: "ServiceUnavailable" }, "try again");
    };
    apply(shop, ada);
    await scenario.until("paused", () => ready()?.reason === "Paused");
    await scenario.pass(120_000);
    kube.refuses = () => undefined;
    kube.annotate("GroupInvite", "ada", {});
    return world;
  }

  it("does not lose the code", async () => {
    const world = await paused();
    await world.isReady();
    expectHandedOver(world);
  });

  it("does not keep the invite from being deleted", async () => {
    const world = await paused();
    world.kube.remove(world.ada);
    await gone(world);
    expect(world.existing()).toEqual([]);
  });
});

it("is not created again if it was redeemed before its uid was in the status", async () => {
  const { kube, platform, existing, reported, scenario, rest, status } = await lostStatus();
  platform.remove(invites, existing()[0] ?? "");
  await reported("ExternalGone");
  expect(status()).toMatchObject({ management: "Created" });
  kube.setSecret("ada", {});
  scenario.handOver();
  await rest();
  expect(existing()).toEqual([]);
});

it.each([false, true])(
  "is deleted if its code cannot be written because the Secret names one of another object: deletion %s",
  async (isDeleted) => {
    const world = startWorld();
    const { kube, apply, ada, isReady, existing, status, scenario } = world;
    kube.setSecret("eve", {});
    kube.setSecret("ada", {});
    apply(shop, inviteOf(scenario, "eve", { secretRef: { name: "eve" } }));
    await isReady("eve");
    const theirs = status("eve")?.uid ?? "";
    onCreation(world, () => {
      kube.setSecret("ada", { code: "theirs", uid: theirs });
      if (isDeleted) kube.remove(ada);
    });
    apply(ada);
    await scenario.until("deleted", () => scenario.events.includes("Deleted ada"));
    expect(existing()).toEqual([theirs]);
  },
);
