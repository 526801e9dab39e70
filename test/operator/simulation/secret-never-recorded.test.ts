import { expect, it } from "vitest";
import { crashPoints, withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { planted, policy, publicClient, shop, sso, startWorld } from "./identity-provider-world.ts";

// The leader died after it had sent a client secret, and before a status said so. The spec names no Secret by then. Nobody can see
// whether the platform has one: it would let in who has the secret, and nothing would ever remove it.

const described: Manifest = { ...publicClient, spec: { ...publicClient.spec, description: "later" } };
const onlyEdited: Manifest = {
  ...publicClient,
  spec: { ...publicClient.spec, policy: { ...policy, deletion: "Orphan" } },
};

it.each([
  ["the provider was created", [], publicClient],
  ["it was added", [publicClient], publicClient],
  ["it was added, and the spec is another one meanwhile", [publicClient], onlyEdited],
  ["it was added, and a field differs meanwhile", [publicClient], described],
])("a client secret does not stay if %s when the leader died at any moment", async (_, first, last) => {
  let removed = 0;
  const { crashes } = await withEveryFault(
    async (fault) => {
      const world = startWorld({ fault });
      const { kube, platform, scenario } = world;
      world.setSecret(planted);
      await world.apply(shop, ...first);
      kube.apply(sso);
      // Edited before the next leader starts, while a request of the dead one may be under way.
      while (platform.clientSecrets.size === 0 && !scenario.process.dead) await scenario.pass(100);
      scenario.process.kill();
      const had = platform.clientSecrets.size;
      kube.apply(last);
      await scenario.until("Ready", () => scenario.differences([shop, last]).length === 0);
      removed += had - platform.clientSecrets.size;
      expect([...platform.clientSecrets.values()]).toEqual([]);
      // What the dead leader had sent arrives until then.
      await scenario.pass(60_000);
      const { writes } = platform;
      await scenario.resync();
      await scenario.pass(600_000);
      expect([...platform.clientSecrets.values()]).toEqual([]);
      expect(platform.writes).toBe(writes);
      expect(world.ready()?.status).toBe("True");
      return scenario.run;
    },
    (whole) => crashPoints(whole),
  );
  console.info(`${crashes} crash points; ${removed} secrets were removed`);
  expect(removed).toBeGreaterThan(0);
});
