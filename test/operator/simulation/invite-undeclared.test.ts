import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { type InviteWorld, invites, shop, startWorld } from "./invite-world.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";

describe("an invite that nobody declared", () => {
  async function withStrangers(world: InviteWorld, group: Manifest = shop) {
    const { kube, platform, apply, ada, isReady, scenario } = world;
    kube.setSecret("ada", {});
    apply(group, ada);
    await isReady();
    const [invite] = platform.createdIn(invites);
    const parent = platform.createdIn("groups")[0]?.uid;
    const expirationTime = new Date(scenario.clock.now() + 1_200_000).toISOString();
    platform.set(invites, { ...invite, uid: `${parent}/00000000000000e1`, expirationTime });
    await scenario.resync();
    const groupStatus = () => kube.find("Group", "shop")?.status as Status | undefined;
    await scenario.until("reported", () => groupStatus()?.undeclared?.length === 1);
    return groupStatus;
  }

  it("is reported with the role that it grants", async () => {
    const groupStatus = await withStrangers(startWorld());
    expect(groupStatus()?.undeclared).toMatchObject([{ kind: "GroupInvite", role: viewer }]);
    const said = groupStatus()?.conditions?.find(({ type }) => type === "AccessDeclared");
    expect(said?.message).toContain("1 group invite;");
  });

  it("is never removed, also where its Group says Remove", async () => {
    const world = startWorld();
    await withStrangers(world, { ...shop, spec: { ...shop.spec, undeclared: "Remove" } });
    for (let resyncs = 0; resyncs < 3; resyncs += 1) await world.scenario.resync();
    expect(world.existing()).toHaveLength(2);
  });

  it("is reported no longer after it has expired, and grants nothing", async () => {
    const world = startWorld();
    const groupStatus = await withStrangers(world);
    await world.scenario.pass(1_200_000 + 900_000);
    await world.scenario.resync();
    await world.scenario.until("ended", () => groupStatus()?.undeclared === undefined);
    expect(world.existing()).toHaveLength(2);
  });
});

it("stays gone although the platform was restored with it, and its Group reports it", async () => {
  const { kube, platform, apply, ada, isReady, scenario, reported } = startWorld();
  kube.setSecret("ada", {});
  apply(shop, ada);
  await isReady();
  const [invite] = platform.createdIn(invites);
  platform.remove(invites, invite?.uid ?? "");
  await scenario.resync();
  await reported("ExternalGone");
  if (invite !== undefined) platform.set(invites, invite);
  for (let resyncs = 0; resyncs < 2; resyncs += 1) await scenario.resync();
  const group = () => kube.find("Group", "shop")?.status as Status | undefined;
  await scenario.until("reported", () => group()?.undeclared?.some(({ uid }) => uid === invite?.uid) === true);
  await reported("ExternalGone");
});
