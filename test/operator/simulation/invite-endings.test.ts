import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { KubeError } from "#src/kube/errors.ts";
import { expectHandedOver, type InviteWorld, shop, startWorld } from "./invite-world.ts";

const gone = ({ scenario, kube }: InviteWorld) =>
  scenario.until("gone", () => kube.find("GroupInvite", "ada") === undefined);

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
