import { describe, expect, it } from "vitest";
import { issuer, policy, publicClient, shop, startWorld } from "./identity-provider-world.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { issuer as ciIssuer, red, type TenantOptions, TwoTenants } from "./two-tenants.ts";

describe("its people", () => {
  const person = (uid: string, claims: object = { issuer, subject: "ana", audience: "muster" }) => ({
    uid,
    name: "ana",
    description: "",
    claimMatch: claims,
  });

  it("keep the provider from being deleted, until they are deleted", async () => {
    const { apply, external, kube, platform, scenario, ready } = startWorld();
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
    const { apply, change, external, kube, platform, scenario, ready } = startWorld();
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
    const { apply, kube, platform, scenario } = startWorld();
    const claimMatch = { issuer, subject: "ci", audience: "muster" };
    const ci: Manifest = { kind: "Identity", name: "ci", spec: { groupRef: { name: "shop" }, claimMatch, policy } };
    await apply(shop, publicClient, ci);
    kube.remove(publicClient);
    await scenario.until("deleted", () => kube.find("IdentityProvider", "sso") === undefined);
    expect(platform.createdIn("identityProviders")).toEqual([]);
    expect(platform.createdIn("identities")).toHaveLength(1);
  });

  it("do not keep the provider from being deleted any longer once an object takes them over, before the next list", async () => {
    const { apply, external, kube, platform, scenario, ready } = startWorld();
    await apply(shop, publicClient);
    const { uid } = external();
    platform.set("identities", person(`${uid.slice(0, uid.lastIndexOf("/"))}/eeeeeeeeeeeeeeee`));
    kube.remove(publicClient);
    await scenario.until("waiting", () => ready()?.reason === "ChildrenExist");
    const claimMatch = { issuer, subject: "ana", audience: "muster" };
    const spec = { groupRef: { name: "shop" }, claimMatch, policy: { ...policy, adoption: "IfExists" } };
    kube.apply({ kind: "Identity", name: "ana", spec });
    await scenario.pass(5_000);
    expect(kube.find("IdentityProvider", "sso")).toBeUndefined();
    expect(platform.createdIn("identities")).toHaveLength(1);
  });

  it("are not removed as undeclared while a declared provider is not on the platform", async () => {
    const { apply, external, kube, platform, scenario, resync, accessDeclared } = startWorld();
    const spec = { parentUid: root, undeclared: "Remove", policy };
    await apply(
      { ...shop, spec },
      { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift: "Report" } } },
    );
    const { uid } = external();
    const group = uid.slice(0, uid.lastIndexOf("/"));
    platform.set("identities", person(`${group}/eeeeeeeeeeeeeeee`));
    platform.remove("identityProviders", uid);
    await resync(4);
    expect(platform.has(`${group}/eeeeeeeeeeeeeeee`)).toBe(true);
    expect(accessDeclared()?.message).toContain(
      "that an object declares in the group, or above it, is not on the platform",
    );
    kube.remove(publicClient);
    await scenario.until("gone", () => kube.find("IdentityProvider", "sso") === undefined);
    await resync(4);
    expect(platform.has(`${group}/eeeeeeeeeeeeeeee`)).toBe(false);
  });

  it.each<[string, TenantOptions]>([
    ["that permits its group only by a grant", {}],
    ["that permits the kind no longer", { kinds: ["Group", "Identity", "RoleBinding"] }],
  ])("are not removed as undeclared after the provider is reported as gone in a Tenant %s", async (_, narrowed) => {
    const world = new TwoTenants();
    const { platform } = world.scenario;
    world.tenant("blue", { identityUid: "" });
    const spec = { parentUid: red, undeclared: "Remove", allowedNamespaces: ["other"], policy };
    const group: Manifest = { ...shop, spec };
    const sso: Manifest = {
      ...publicClient,
      namespace: "other",
      spec: {
        ...publicClient.spec,
        groupRef: { name: "shop", namespace: "team" },
        issuer: ciIssuer,
        policy: { ...policy, drift: "Report" },
      },
    };
    await world.apply([group, sso]);
    await world.until("Available", [group, sso]);
    const uidOf = (one: Manifest) => world.statusOf(one)?.uid ?? "";
    const ana = `${uidOf(group)}/eeeeeeeeeeeeeeee`;
    platform.set("identities", person(ana, { issuer: ciIssuer, subject: "ana", audience: "muster" }));
    platform.remove("identityProviders", uidOf(sso));
    await world.scenario.resync();
    await world.until("ExternalGone", [sso]);
    world.tenant("blue", { identityUid: "", ...narrowed });
    for (let resyncs = 0; resyncs < 4; resyncs += 1) {
      await world.scenario.resync();
      await world.scenario.pass(600_000);
    }
    expect(platform.has(ana)).toBe(true);
  });

  it.each(["Correct", "Report"])(
    "are not removed as undeclared after somebody changed the issuer on the platform (drift: %s)",
    async (drift) => {
      const { apply, external, change, platform, resync } = startWorld();
      const shopThatRemoves = { ...shop, spec: { parentUid: root, undeclared: "Remove", policy } };
      await apply(shopThatRemoves, { ...publicClient, spec: { ...publicClient.spec, policy: { ...policy, drift } } });
      const { uid, oidc } = external();
      const ana = `${uid.slice(0, uid.lastIndexOf("/"))}/eeeeeeeeeeeeeeee`;
      platform.set("identities", person(ana));
      await resync(2);
      change({ oidc: { ...oidc, issuer: "https://evil.example" } });
      await resync(4);
      expect(platform.has(ana)).toBe(true);
    },
  );
});
