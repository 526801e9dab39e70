import { expect, it } from "vitest";
import { ServiceAccountKeys } from "#src/commands/operator/service-account-keys.ts";
import type { ExternalIdentity } from "#src/kinds/identity.ts";
import type { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

const manifest = (drift: "Correct" | "Report"): Manifest => ({
  kind: "Identity",
  name: "checkout",
  spec: {
    groupUid: root,
    serviceAccountRef: { name: "checkout" },
    policy: { management: "Full", drift, adoption: "Never" },
  },
});

/** A cluster whose API servers publish keys, with an operator that uploads them. */
async function cluster({
  dropped = [],
  drift = "Correct",
}: {
  dropped?: readonly string[];
  drift?: "Correct" | "Report";
} = {}) {
  /** The ids of the keys of each API server, which take turns. */
  const servers = { keys: [["a"]] as readonly (readonly string[])[] };
  const lifetime = new AbortController();
  let keys: ServiceAccountKeys | undefined;
  const scenario: Scenario = new Scenario({}, undefined, undefined, {
    serviceAccounts: {
      issuer: "https://cluster.example",
      audience: "auth.example",
      get uploaded() {
        return keys?.uploaded;
      },
    },
  });
  const start = async (clock: ManualClock = scenario.clock) => {
    let reads = 0;
    const started = new ServiceAccountKeys({
      read: async () => {
        const served = servers.keys[(reads += 1) % servers.keys.length] ?? [];
        return { keys: served.map((kid) => ({ kty: "RSA", kid, n: kid, e: "AQAB" })) };
      },
      dropped,
      clock,
      onError: (error) => {
        throw error;
      },
    });
    let isStarted = false;
    const starting = started.start(lifetime.signal).finally(() => {
      isStarted = true;
    });
    // Awaited below.
    starting.catch(() => {});
    await scenario.until("the first keys", () => isStarted);
    await starting;
    keys = started;
    started.onChange(() => scenario.process.reconcileAll());
    void started.run(lifetime.signal);
  };
  await start();
  scenario.kube.apply(manifest(drift));
  const external = () => scenario.platform.created()[0] as ExternalIdentity | undefined;
  const kids = () =>
    (JSON.parse(external()?.staticKeys?.issuerKeys ?? '{"keys":[]}') as { keys: { kid: string }[] }).keys
      .map(({ kid }) => kid)
      .join("");
  await scenario.until("keys", () => kids() !== "");
  return { scenario, servers, external, kids, start };
}

it("adds a key at once while the keys rotate, and removes the old one an hour after it was seen last", async () => {
  const { scenario, servers, kids, external } = await cluster();
  expect(external()?.staticKeys?.subject).toContain(":checkout");
  servers.keys = [["a", "b"]];
  await scenario.pass(minute);
  expect(kids()).toBe("ab");
  servers.keys = [["b"]];
  await scenario.pass(59 * minute);
  expect(kids()).toBe("ab");
  await scenario.pass(2 * minute);
  expect(kids()).toBe("b");
  expect(scenario.events).not.toContain("DriftCorrected checkout");
});

it("uploads the keys of all API servers, which may differ, also after a restart", async () => {
  const { scenario, servers, kids, start } = await cluster();
  servers.keys = [["a"], ["b"]];
  await scenario.pass(2 * minute);
  expect(kids()).toBe("ab");
  await scenario.restart();
  await start();
  scenario.process.reconcileAll();
  for (let seconds = 0; seconds < 120; seconds += 10) {
    await scenario.pass(10_000);
    expect(kids()).toBe("ab");
  }
});

it("never uploads a dropped key", async () => {
  const { scenario, servers, kids, start } = await cluster({ dropped: ["leaked"] });
  servers.keys = [["a", "leaked"]];
  await scenario.pass(5 * minute);
  expect(kids()).toBe("a");
  servers.keys = [["leaked"]];
  await expect(start()).rejects.toThrowError("--drop-key: these are all keys that the API servers publish");
});

it("restores the keys if somebody adds another one on the platform, also where drift is only reported", async () => {
  const { scenario, external, kids } = await cluster({ drift: "Report" });
  await scenario.pass(minute);
  const identity = external();
  scenario.platform.set("identities", {
    ...identity,
    uid: identity?.uid ?? "",
    staticKeys: { ...identity?.staticKeys, issuerKeys: '{"keys":[{"kty":"RSA","kid":"evil"}]}' },
  });
  expect(kids()).toBe("evil");
  await scenario.resync();
  await scenario.pass(minute);
  expect(kids()).toBe("a");
});

it("renews the expiry every 30 days, long before the keys expire", async () => {
  const { scenario, external } = await cluster();
  const left = () => Date.parse(external()?.staticKeys?.expirationTime ?? "") - scenario.clock.now();
  const before = left();
  // 30-day periods are counted from 1970: the next one begins within a week of the clock's start.
  await scenario.pass(7 * day);
  expect(left()).toBe(before - 7 * day - (scenario.clock.now() % 1) + 30 * day);
  expect(left()).toBeGreaterThan(179 * day);
});
