import { describe, expect, it } from "vitest";
import { issuerAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import {
  issuer,
  planted,
  policy,
  publicClient,
  rotated,
  shop,
  sso,
  startWorld,
  type ProviderWorld,
} from "./identity-provider-world.ts";
import { owner, viewer } from "./memory-platform.ts";

describe("the client secret", () => {
  it("is sent once when the provider is created, and never shown", async () => {
    const { apply, setSecret, sent, external, status, scenario, platform, leaks } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    expect(sent()).toBe(planted);
    expect(external()).toMatchObject({ defaultRole: viewer, oidc: { issuer, clientId: "muster", pkceEnabled: true } });
    expect(status()?.secret).toMatchObject({ uid: expect.any(String), updateTime: external().updateTime });
    const { writes } = platform;
    await scenario.resync();
    await scenario.pass(3_600_000);
    expect(platform.writes).toBe(writes);
    expect(leaks()).toEqual([]);
  });

  it("is sent again after the Secret changed", async () => {
    const { apply, setSecret, sent, scenario, platform, leaks } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    setSecret(rotated);
    await scenario.until("sent", () => sent() === rotated);
    const { writes } = platform;
    await scenario.pass(3_600_000);
    expect(platform.writes).toBe(writes);
    expect(scenario.events).toContain("Updated sso");
    expect(leaks()).toEqual([]);
  });

  it("is sent again if another Secret of the same version has taken its place, as after a restore", async () => {
    const { apply, setSecret, sent, status, external, scenario, platform, kube } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    scenario.process.kill();
    const recorded = status();
    if (recorded?.secret === undefined) throw new Error("the secret was not recorded");
    const { secret } = recorded;
    kube.setStatus("IdentityProvider", "sso", { ...recorded, secret: { ...secret, uid: "of-the-earlier-one" } });
    platform.clientSecrets.set(external().uid, "the earlier one");
    await scenario.until("sent", () => sent() === planted);
    await scenario.until("recorded", () => status()?.secret?.uid === secret.uid);
  });

  it("is sent again after the spec names another key of the same Secret", async () => {
    const { apply, sent, kube, scenario, status } = startWorld();
    kube.setSecret("sso", { clientSecret: planted, next: rotated }, { [issuerAnnotation]: issuer });
    await apply(shop, sso);
    kube.apply({ ...sso, spec: { ...sso.spec, clientSecretRef: { name: "sso", key: "next" } } });
    await scenario.until("sent", () => sent() === rotated);
    await scenario.pass(60_000);
    expect(status()?.secret?.key).toBe("next");
  });

  it("is sent again after somebody changed the provider, perhaps its secret", async () => {
    const { apply, change, setSecret, sent, external, platform, scenario } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    platform.clientSecrets.set(external().uid, "of somebody else");
    change({ updateTime: "2026-06-01T00:00:00Z" });
    await scenario.resync();
    await scenario.until("sent", () => sent() === planted);
    expect(scenario.events).toContain("DriftCorrected sso");
  });

  it("is not sent again for that alone where drift is only reported", async () => {
    const { apply, change, setSecret, ready, external, platform, scenario } = startWorld();
    setSecret(planted);
    await apply(shop, { ...sso, spec: { ...sso.spec, policy: { ...policy, drift: "Report" } } });
    change({ updateTime: "2026-06-01T00:00:00Z" });
    const { writes } = platform;
    await scenario.resync();
    await scenario.pass(3_600_000);
    expect(platform.writes).toBe(writes);
    expect(ready()?.status).toBe("True");
    setSecret(rotated);
    await scenario.until("sent", () => platform.clientSecrets.get(external().uid) === rotated);
  });

  it.each([
    ["is only reported", "Report"],
    ["is corrected no more, because somebody reverts it", "Correct"],
  ])("is sent when its Secret changes, and nothing else, where other drift %s", async (_, drift) => {
    const { apply, change, setSecret, external, platform, scenario, ready } = startWorld();
    setSecret(planted);
    await apply(shop, { ...sso, spec: { ...sso.spec, policy: { ...policy, drift } } });
    const { oidc } = external();
    for (let times = 0; ready()?.reason !== "DriftDetected"; times += 1) {
      expect(times).toBeLessThan(20);
      change({ name: "by hand", oidc: { ...oidc, groupsClaim: "of somebody" } });
      await scenario.resync();
      await scenario.pass(60_000);
    }
    setSecret(rotated);
    await scenario.until("sent", () => platform.clientSecrets.get(external().uid) === rotated);
    expect(external()).toMatchObject({ name: "by hand", oidc: { ...oidc, groupsClaim: "of somebody" } });
    expect(scenario.events.findLast((event) => /^(Updated|DriftCorrected) /.test(event))).toBe("Updated sso");
    const { writes } = platform;
    await scenario.pass(1_200_000);
    expect([platform.writes, ready()?.reason]).toEqual([writes, "DriftDetected"]);
  });

  it("is not taken for a correction of drift, however often it is rotated", async () => {
    const { apply, change, setSecret, sent, external, scenario } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    for (const text of [1, 2, 3].map((count) => `${rotated}-${count}`)) {
      setSecret(text);
      // The Secret is read again after ten minutes, which is as long as `until` waits.
      await scenario.pass(1_000);
      await scenario.until("sent", () => sent() === text);
    }
    change({ defaultRole: owner });
    await scenario.resync();
    await scenario.until("corrected", () => external().defaultRole === viewer);
  });

  it("is not sent to another client, where that is only reported", async () => {
    const { apply, change, setSecret, external, platform, scenario, ready } = startWorld();
    setSecret(planted);
    await apply(shop, { ...sso, spec: { ...sso.spec, policy: { ...policy, drift: "Report" } } });
    change({ oidc: { ...external().oidc, clientId: "other" } });
    await scenario.resync();
    await scenario.until("reported", () => ready()?.reason === "DriftDetected");
    setSecret(rotated);
    await scenario.pass(1_200_000);
    expect(platform.clientSecrets.get(external().uid)).toBe(planted);
  });

  it("is not read all the time while the object is paused", async () => {
    const { apply, setSecret, kube, scenario } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    kube.annotate("IdentityProvider", "sso", { [pausedAnnotation]: "true" });
    await scenario.pass(60_000);
    const { reconciles } = scenario.process;
    await scenario.pass(3_600_000);
    expect(scenario.process.reconciles - reconciles).toBeLessThan(20);
  });

  it("is removed when the spec names none any longer", async () => {
    const { apply, setSecret, sent, status } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    await apply(shop, publicClient);
    expect([sent(), status()?.secret]).toEqual([undefined, undefined]);
  });

  it.each<[string, string, (world: ProviderWorld) => void]>([
    ["ReferenceNotFound", "does not exist in namespace team", ({ kube }) => kube.removeSecret("sso")],
    ["ReferenceNotFound", "has no key clientSecret", ({ setSecret }) => setSecret(planted, issuer, "other")],
    ["ReferenceNotFound", "line break", ({ setSecret }) => setSecret(`${planted}\n`)],
    [
      "ReferenceNotGranted",
      `${issuerAnnotation}=${issuer}`,
      ({ setSecret }) => setSecret(planted, "https://evil.example"),
    ],
    [
      "KubernetesForbidden",
      "kubectl create role -n team muster-secret-sso --verb=get --resource=secrets --resource-name=sso && kubectl create rolebinding -n team muster-secret-sso --role=muster-secret-sso --serviceaccount=muster-system:muster-operator",
      ({ kube, setSecret }) => {
        setSecret(planted);
        kube.forbidsSecrets = true;
      },
    ],
  ])("is not sent: %s, %s", async (reason, message, prepare) => {
    const world = startWorld();
    prepare(world);
    const { kube, scenario, platform, ready, setSecret, leaks, apply } = world;
    for (const manifest of [shop, sso]) kube.apply(manifest);
    await scenario.until("reported", () => ready()?.reason === reason);
    await scenario.pass(60_000);
    expect(ready()?.message).toContain(message);
    expect(platform.createdIn("identityProviders")).toEqual([]);
    kube.forbidsSecrets = false;
    setSecret(planted);
    await apply(shop, sso);
    expect(leaks()).toEqual([]);
  });

  it.each(["before the provider exists", "after it was created"])(
    "is reported as unreadable if that is refused only when it is sent, %s",
    async (when) => {
      const exists = when === "after it was created";
      const { apply, change, setSecret, external, kube, platform, scenario, ready, sent } = startWorld();
      setSecret(planted);
      await apply(shop, ...(exists ? [sso] : []));
      if (exists) {
        kube.forbidsSecrets = true;
        change({ defaultRole: owner });
        await scenario.resync();
      } else {
        kube.allowedSecretReads = kube.secretReads + 1;
        kube.apply(sso);
      }
      await scenario.pass(60_000);
      expect(ready()).toMatchObject({
        reason: "KubernetesForbidden",
        message: expect.stringContaining("kubectl create role -n team muster-secret-sso"),
      });
      expect(platform.createdIn("identityProviders").map(({ uid }) => uid)).toEqual(exists ? [external().uid] : []);
      if (exists) expect([external().defaultRole, sent()]).toEqual([viewer, planted]);
      expect(scenario.process.failures).toEqual([]);
      kube.forbidsSecrets = false;
      kube.allowedSecretReads = Number.POSITIVE_INFINITY;
      await apply(shop, sso);
      expect(sent()).toBe(planted);
    },
  );

  it("does not keep another difference from being corrected while the Secret cannot be read", async () => {
    const { apply, change, setSecret, sent, external, kube, scenario, ready } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    kube.forbidsSecrets = true;
    change({ defaultRole: owner });
    await scenario.pass(600_000);
    await scenario.resync();
    await scenario.until("corrected", () => external().defaultRole === viewer);
    await scenario.until("reported", () => ready()?.reason === "KubernetesForbidden");
    expect(sent()).toBe(planted);
  });

  const unusable: Readonly<Record<string, (world: ProviderWorld) => void>> = {
    "does not exist": ({ kube }) => kube.removeSecret("sso"),
    "cannot be read": ({ kube }) => {
      kube.forbidsSecrets = true;
    },
    "names another issuer": ({ setSecret }) => setSecret(planted, "https://evil.example"),
  };
  it.each(Object.keys(unusable).flatMap((why) => [true, false].map((pkceEnabled) => ({ why, pkceEnabled }))))(
    "does not keep the issuer of somebody else alive while the Secret $why (PKCE: $pkceEnabled)",
    async ({ why, pkceEnabled }) => {
      const world = startWorld();
      const { apply, change, setSecret, sent, external, kube, platform, scenario, ready } = world;
      setSecret(planted);
      await apply(shop, { ...sso, spec: { ...sso.spec, pkceEnabled } });
      unusable[why]?.(world);
      await scenario.pass(600_000);
      platform.clientSecrets.set(external().uid, "of somebody else");
      change({ oidc: { ...external().oidc, issuer: "https://evil.example" }, updateTime: "2026-06-01T00:00:00Z" });
      await scenario.resync();
      await scenario.pass(60_000);
      // Nobody gets in at another issuer. Without a secret, the platform requires PKCE.
      expect(external().oidc).toMatchObject({ issuer, pkceEnabled: true });
      expect([sent(), ready()?.status]).toEqual([undefined, "False"]);
      const { writes } = platform;
      await scenario.pass(3_600_000);
      expect(platform.writes).toBe(writes);
      kube.forbidsSecrets = false;
      setSecret(rotated);
      await scenario.until("sent", () => sent() === rotated);
      await scenario.until("Ready", () => ready()?.status === "True");
      expect(external().oidc).toMatchObject({ issuer, pkceEnabled });
    },
  );

  it("is read seldom: not by each resync, and not at all where the spec names none", async () => {
    const { apply, setSecret, kube, scenario } = startWorld();
    setSecret(planted);
    await apply(shop, sso);
    const before = kube.secretReads;
    await scenario.pass(3_600_000);
    expect(kube.secretReads - before).toBeLessThanOrEqual(6);
    const another = startWorld();
    await another.apply(shop, publicClient);
    expect(another.kube.secretReads).toBe(0);
  });
});
