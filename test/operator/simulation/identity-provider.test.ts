import { describe, expect, it } from "vitest";
import type { Boundary } from "#src/reconcile/tenancy/boundary.ts";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { withEveryFault } from "./fault-points.ts";
import { issuer, planted, policy, publicClient, rotated, shop, sso, startWorld } from "./identity-provider-world.ts";
import { owner, rejection, root, viewer } from "./memory-platform.ts";

describe("the default role", () => {
  it("is restored after others changed it: everybody who logs in gets it", async () => {
    const { apply, change, external, scenario } = startWorld();
    await apply(shop, publicClient);
    change({ defaultRole: owner });
    await scenario.resync();
    await scenario.until("restored", () => external().defaultRole === viewer);
    expect(scenario.events).toContain("DriftCorrected sso");
  });

  it("is reported where drift is only reported", async () => {
    const { apply, change, scenario, status } = startWorld();
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
    const { kube, scenario, platform, ready } = startWorld({ boundary });
    for (const manifest of [shop, { ...publicClient, spec: { ...publicClient.spec, ...spec } }]) kube.apply(manifest);
    await scenario.until("denied", () => ready()?.reason === "TenantDenied");
    expect(ready()?.message).toContain(message);
    expect(platform.createdIn("identityProviders")).toEqual([]);
  });
});

it("is only reported where nobody declares it, also where the Group says Remove", async () => {
  const { apply, platform, resync, groupStatus, accessDeclared } = startWorld();
  await apply({ ...shop, spec: { parentUid: root, undeclared: "Remove", policy } });
  const group = groupStatus()?.uid ?? "";
  const uid = `${group}/eeeeeeeeeeeeeeee`;
  platform.set("identityProviders", {
    uid,
    name: "by hand",
    description: "",
    defaultRole: owner,
  });
  await resync(4);
  expect(groupStatus()?.undeclared).toMatchObject([{ kind: "IdentityProvider", uid, name: "by hand" }]);
  expect(accessDeclared()?.message).toContain("only role bindings and identities are removed");
  expect(platform.has(uid)).toBe(true);
});

it("is adopted by its name, with its secret and its role", async () => {
  const { apply, setSecret, external, platform, sent } = startWorld();
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

it.each([
  ["issuer", { issuer: "https://other.example" }],
  ["client", { clientId: "another" }],
])("is not adopted if it lets in other people: another %s", async (_, others) => {
  const { kube, platform, setSecret, scenario, ready, leaks } = startWorld();
  const uid = `${root}/eeeeeeeeeeeeeeee`;
  const oidc = { issuer, clientId: "muster", additionalScopes: [], groupsClaim: "", pkceEnabled: true, ...others };
  const existing = { uid, name: "sso", description: "by hand", updateTime: "2025-01-01T00:00:00Z", defaultRole: owner };
  platform.set("identityProviders", { ...existing, oidc });
  setSecret(planted);
  const { groupRef: _shop, ...spec } = sso.spec;
  kube.apply({ ...sso, spec: { ...spec, groupUid: root, policy: { ...policy, adoption: "IfExists" } } });
  await scenario.until("refused", () => ready()?.reason === "Conflict");
  expect(ready()?.message).toContain(oidc.issuer === issuer ? oidc.clientId : oidc.issuer);
  expect([platform.writes, platform.clientSecrets.get(uid), leaks()]).toEqual([0, undefined, []]);
});

it("reports what the platform rejects by the field of the spec", async () => {
  const { kube, platform, scenario, ready } = startWorld();
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
    const { apply, setSecret, sent, kube, platform, scenario, leaks } = startWorld({ fault });
    setSecret(planted);
    await apply(sso, shop);
    setSecret(rotated);
    // The Secret is read again after ten minutes, which is as long as `until` waits.
    await scenario.pass(1_000);
    await scenario.until("rotated", () => sent() === rotated);
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.until("at rest", () => scenario.differences([shop, sso]).length === 0);
    expect(leaks()).toEqual([]);
    for (const manifest of [shop, sso]) kube.remove(manifest);
    await scenario.until("deleted", () => kube.objects().length === 0 && platform.created().length === 0);
    return scenario.run;
  });
  console.info(`${points.crashes} crash points, ${points.lost} lost responses`);
  expect(points.crashes * oneIn).toBeGreaterThan(15);
});
