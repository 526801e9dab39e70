import { describe, expect, it } from "vitest";
import { issuerAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import type { ExternalIdentityProvider } from "#src/platform-client/identity-providers.ts";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { owner, rejection, root, viewer } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const issuer = "https://login.example";
const planted = "planted-secret-1f7a";
const rotated = "planted-secret-2b9c";
const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, policy } };
const sso = {
  kind: "IdentityProvider",
  name: "sso",
  spec: {
    groupRef: { name: "shop" },
    issuer,
    clientId: "muster",
    clientSecretRef: { name: "sso" },
    defaultRoleRef: { name: "viewer" },
    policy,
  },
} satisfies Manifest;
const { clientSecretRef: _none, ...withoutSecret } = sso.spec;
const publicClient = { ...sso, spec: withoutSecret };

function start({ fault = {}, boundary = {} }: { fault?: Fault; boundary?: Partial<Boundary> } = {}) {
  const seen: string[] = [];
  const scenario = new Scenario(fault, (observed, step) => seen.push(JSON.stringify([observed, step])), undefined, {
    boundary,
  });
  const { kube, platform } = scenario;
  const setSecret = (text: string, annotation = issuer, key = "clientSecret") =>
    kube.setSecret("sso", { [key]: text }, { [issuerAnnotation]: annotation });
  const status = () => kube.find("IdentityProvider", "sso")?.status as Status | undefined;
  const ready = () => status()?.conditions?.find(({ type }) => type === "Ready");
  const external = () =>
    platform.createdIn("identityProviders").find(({ uid }) => uid === status()?.uid) as ExternalIdentityProvider;
  const apply = async (...manifests: readonly Manifest[]) => {
    for (const manifest of manifests) kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences(manifests).length === 0);
  };
  /** Changes the provider as others would. */
  const change = (fields: object) => platform.set("identityProviders", { ...external(), ...fields });
  const sent = () => platform.clientSecrets.get(status()?.uid ?? "");
  /** Whether anything but the platform has seen a secret. */
  const leaks = () =>
    [...seen, ...scenario.events, ...scenario.process.failures.map(String), JSON.stringify(kube.objects())].filter(
      (text) => text.includes("planted-secret"),
    );
  return { scenario, kube, platform, setSecret, status, ready, external, change, apply, sent, leaks };
}

describe("the client secret", () => {
  it("is sent once when the provider is created, and never shown", async () => {
    const { apply, setSecret, sent, external, status, scenario, platform, leaks } = start();
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
    const { apply, setSecret, sent, scenario, platform, leaks } = start();
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
    const { apply, setSecret, sent, status, external, scenario, platform, kube } = start();
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
    const { apply, sent, kube, scenario, status } = start();
    kube.setSecret("sso", { clientSecret: planted, next: rotated }, { [issuerAnnotation]: issuer });
    await apply(shop, sso);
    kube.apply({ ...sso, spec: { ...sso.spec, clientSecretRef: { name: "sso", key: "next" } } });
    await scenario.until("sent", () => sent() === rotated);
    await scenario.pass(60_000);
    expect(status()?.secret?.key).toBe("next");
  });

  it("is sent again after somebody changed the provider, perhaps its secret", async () => {
    const { apply, change, setSecret, sent, external, platform, scenario } = start();
    setSecret(planted);
    await apply(shop, sso);
    platform.clientSecrets.set(external().uid, "of somebody else");
    change({ updateTime: "2026-06-01T00:00:00Z" });
    await scenario.resync();
    await scenario.until("sent", () => sent() === planted);
    expect(scenario.events).toContain("DriftCorrected sso");
  });

  it("is not sent again for that alone where drift is only reported", async () => {
    const { apply, change, setSecret, ready, external, platform, scenario } = start();
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

  it("is removed when the spec names none any longer", async () => {
    const { apply, setSecret, sent, status } = start();
    setSecret(planted);
    await apply(shop, sso);
    await apply(shop, publicClient);
    expect([sent(), status()?.secret]).toEqual([undefined, undefined]);
  });

  it.each<[string, string, (world: ReturnType<typeof start>) => void]>([
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
    const world = start();
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
      const { apply, change, setSecret, external, kube, platform, scenario, ready, sent } = start();
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
    const { apply, change, setSecret, sent, external, kube, scenario, ready } = start();
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

  const unusable: Readonly<Record<string, (world: ReturnType<typeof start>) => void>> = {
    "does not exist": ({ kube }) => kube.removeSecret("sso"),
    "cannot be read": ({ kube }) => {
      kube.forbidsSecrets = true;
    },
    "names another issuer": ({ setSecret }) => setSecret(planted, "https://evil.example"),
  };
  it.each(Object.keys(unusable).flatMap((why) => [true, false].map((pkceEnabled) => ({ why, pkceEnabled }))))(
    "does not keep the issuer of somebody else alive while the Secret $why (PKCE: $pkceEnabled)",
    async ({ why, pkceEnabled }) => {
      const world = start();
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
    const { apply, setSecret, kube, scenario } = start();
    setSecret(planted);
    await apply(shop, sso);
    const before = kube.secretReads;
    await scenario.pass(3_600_000);
    expect(kube.secretReads - before).toBeLessThanOrEqual(6);
    const another = start();
    await another.apply(shop, publicClient);
    expect(another.kube.secretReads).toBe(0);
  });
});

describe("the default role", () => {
  it("is restored after others changed it: everybody who logs in gets it", async () => {
    const { apply, change, external, scenario } = start();
    await apply(shop, publicClient);
    change({ defaultRole: owner });
    await scenario.resync();
    await scenario.until("restored", () => external().defaultRole === viewer);
    expect(scenario.events).toContain("DriftCorrected sso");
  });

  it("is reported where drift is only reported", async () => {
    const { apply, change, scenario, status } = start();
    await apply(shop, { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift: "Report" } } });
    change({ defaultRole: owner });
    await scenario.resync();
    await scenario.until("reported", () => status()?.drift !== undefined);
    expect(status()?.drift).toEqual([{ field: "defaultRole", expected: viewer, actual: owner }]);
  });

  it.each<[string, Partial<Boundary>, object, string]>([
    ["a role that the Tenant may not bind", {}, { defaultRoleRef: { name: "owner" } }, "does not allow the role owner"],
    ["an issuer that it does not list", { claimIssuers: [] }, {}, `does not allow the issuer ${issuer}`],
    [
      "an issuer that it lists for some subjects",
      { claimIssuers: [{ issuer, subjectPrefixes: ["ana"] }] },
      {},
      "lets everybody in",
    ],
    ["a kind that it does not list", { kinds: ["Group", "Identity", "RoleBinding"] }, {}, "objects of the kind"],
  ])("is not granted by the Tenant: %s", async (_, boundary, spec, message) => {
    const { kube, scenario, platform, ready } = start({ boundary });
    for (const manifest of [shop, { ...publicClient, spec: { ...publicClient.spec, ...spec } }]) kube.apply(manifest);
    await scenario.until("denied", () => ready()?.reason === "TenantDenied");
    expect(ready()?.message).toContain(message);
    expect(platform.createdIn("identityProviders")).toEqual([]);
  });
});

describe("its people", () => {
  const person = (uid: string, claims: object = { issuer, subject: "ana", audience: "muster" }) => ({
    uid,
    name: "ana",
    description: "",
    claimMatch: claims,
  });

  it("keep the provider from being deleted, until they are deleted", async () => {
    const { apply, external, kube, platform, scenario, ready } = start();
    await apply(shop, publicClient);
    const { uid } = external();
    const group = uid.slice(0, uid.lastIndexOf("/"));
    const ana = `${group}/eeeeeeeeeeeeeeee`;
    platform.set("identities", person(ana));
    platform.set("identities", person(`${group}/eeeeeeeeeeeeeee1`, { issuer, subject: "ci", audience: "another" }));
    kube.remove(publicClient);
    await scenario.until("waiting", () => ready()?.reason === "ChildrenExist");
    expect(ready()?.message).toContain(`identities ${ana}. Delete these`);
    await scenario.pass(600_000);
    expect(platform.has(uid)).toBe(true);
    platform.remove("identities", ana);
    await scenario.until("deleted", () => kube.find("IdentityProvider", "sso") === undefined);
    expect(platform.has(uid)).toBe(false);
  });

  it.each([
    ["client", { clientId: "of-somebody-else" }],
    ["issuer", { issuer: "https://other.example" }],
  ])("keep it from being deleted also while others have changed its %s", async (_, changed) => {
    const { apply, change, external, kube, platform, scenario, ready } = start();
    const reporting = { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift: "Report" } } };
    await apply(shop, reporting);
    const { uid, oidc } = external();
    platform.set("identities", person(`${uid.slice(0, uid.lastIndexOf("/"))}/eeeeeeeeeeeeeeee`));
    change({ oidc: { ...oidc, ...changed } });
    await scenario.resync();
    kube.remove(reporting);
    await scenario.until("waiting", () => ready()?.reason === "ChildrenExist");
    expect(platform.has(uid)).toBe(true);
  });

  it("are not the identities that objects manage", async () => {
    const { apply, kube, platform, scenario } = start();
    const claimMatch = { issuer, subject: "ci", audience: "muster" };
    const ci: Manifest = { kind: "Identity", name: "ci", spec: { groupRef: { name: "shop" }, claimMatch, policy } };
    await apply(shop, publicClient, ci);
    kube.remove(publicClient);
    await scenario.until("deleted", () => kube.find("IdentityProvider", "sso") === undefined);
    expect(platform.createdIn("identityProviders")).toEqual([]);
    expect(platform.createdIn("identities")).toHaveLength(1);
  });

  it("are not removed as undeclared while a declared provider is not on the platform", async () => {
    const { apply, external, kube, platform, scenario } = start();
    const spec = { parentUid: root, undeclared: "Remove", policy };
    await apply(
      { ...shop, spec },
      { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift: "Report" } } },
    );
    const { uid } = external();
    const group = uid.slice(0, uid.lastIndexOf("/"));
    platform.set("identities", person(`${group}/eeeeeeeeeeeeeeee`));
    platform.remove("identityProviders", uid);
    for (let count = 0; count < 4; count += 1) {
      await scenario.resync();
      await scenario.pass(600_000);
    }
    expect(platform.has(`${group}/eeeeeeeeeeeeeeee`)).toBe(true);
    const status = kube.find("Group", "shop")?.status as Status;
    expect(status.conditions?.find(({ type }) => type === "AccessDeclared")?.message).toContain(
      "that an object declares in the group, or above it, is not on the platform",
    );
    kube.remove(publicClient);
    await scenario.until("gone", () => kube.find("IdentityProvider", "sso") === undefined);
    for (let count = 0; count < 4; count += 1) {
      await scenario.resync();
      await scenario.pass(600_000);
    }
    expect(platform.has(`${group}/eeeeeeeeeeeeeeee`)).toBe(false);
  });

  it.each(["Correct", "Report"])(
    "are not removed as undeclared after somebody changed the issuer on the platform (drift: %s)",
    async (drift) => {
      const { apply, external, change, platform, scenario } = start();
      const shopThatRemoves = { ...shop, spec: { parentUid: root, undeclared: "Remove", policy } };
      await apply(shopThatRemoves, { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift } } });
      const { uid, oidc } = external();
      const ana = `${uid.slice(0, uid.lastIndexOf("/"))}/eeeeeeeeeeeeeeee`;
      platform.set("identities", person(ana));
      for (let count = 0; count < 2; count += 1) {
        await scenario.resync();
        await scenario.pass(600_000);
      }
      change({ oidc: { ...oidc, issuer: "https://evil.example" } });
      for (let count = 0; count < 4; count += 1) {
        await scenario.resync();
        await scenario.pass(600_000);
      }
      expect(platform.has(ana)).toBe(true);
    },
  );
});

it("is only reported where nobody declares it, also where the Group says Remove", async () => {
  const { apply, kube, platform, scenario } = start();
  await apply({ ...shop, spec: { parentUid: root, undeclared: "Remove", policy } });
  const group = (kube.find("Group", "shop")?.status as Status | undefined)?.uid ?? "";
  const uid = `${group}/eeeeeeeeeeeeeeee`;
  platform.set("identityProviders", {
    uid,
    name: "by hand",
    description: "",
    defaultRole: owner,
  });
  for (let count = 0; count < 4; count += 1) {
    await scenario.resync();
    await scenario.pass(600_000);
  }
  const status = kube.find("Group", "shop")?.status as Status;
  expect(status.undeclared).toMatchObject([{ kind: "IdentityProvider", uid, name: "by hand" }]);
  expect(status.conditions?.find(({ type }) => type === "AccessDeclared")?.message).toContain(
    "only role bindings and identities are removed",
  );
  expect(platform.has(uid)).toBe(true);
});

it("is adopted by its name, with its secret and its role", async () => {
  const { apply, setSecret, external, platform, sent } = start();
  const uid = `${root}/eeeeeeeeeeeeeeee`;
  const oidc = { issuer, clientId: "muster", additionalScopes: [], groupsClaim: "", pkceEnabled: true };
  const existing = { uid, name: "sso", description: "by hand", updateTime: "2025-01-01T00:00:00Z", defaultRole: owner };
  platform.set("identityProviders", { ...existing, oidc });
  setSecret(planted);
  const { groupRef: _shop, ...spec } = sso.spec;
  await apply({ ...sso, spec: { ...spec, groupUid: root, policy: { ...policy, adoption: "IfExists" } } });
  expect(external()).toMatchObject({ uid, defaultRole: viewer });
  expect(sent()).toBe(planted);
});

it("reports what the platform rejects by the field of the spec", async () => {
  const { kube, platform, scenario, ready } = start();
  const { problem } = rejection("create identityProviders", "INVALID_ARGUMENT");
  platform.fault = (call) => {
    if (call !== "create identityProviders" || problem.kind !== "rejected") return undefined;
    const fieldViolations = [{ field: "oidc.client_id", description: "is unknown" }];
    return { ...problem, error: { ...problem.error, fieldViolations } };
  };
  for (const manifest of [shop, publicClient]) kube.apply(manifest);
  await scenario.until("rejected", () => ready()?.reason === "InvalidSpec");
  expect(ready()?.message).toContain("spec.clientId: is unknown");
});

it("exists once, with its secret, and is deleted, whatever crash or loss comes between", async () => {
  const points = await withEveryFault(async (fault) => {
    const { apply, setSecret, sent, kube, platform, scenario, leaks } = start({ fault });
    setSecret(planted);
    await apply(sso, shop);
    setSecret(rotated);
    await scenario.until("rotated", () => sent() === rotated);
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.until("at rest", () => scenario.differences([shop, sso]).length === 0);
    expect(leaks()).toEqual([]);
    for (const manifest of [shop, sso]) kube.remove(manifest);
    await scenario.until("deleted", () => kube.objects().length === 0 && platform.created().length === 0);
    return { calls: scenario.calls, posts: platform.posts, crashed: scenario.crashed };
  });
  console.info(`${points.crashes} crash points, ${points.lost} lost responses`);
  expect(points.crashes).toBeGreaterThan(5);
});
