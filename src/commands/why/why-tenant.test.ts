import { describe, expect, it } from "vitest";
import { reasons } from "#src/api/reason.ts";
import { lease, led, object, root, tenant, WhyWorld } from "./why-world.testing.ts";

const { answer, causes, cluster, why } = new WhyWorld();

describe("muster why, of Tenants and their operators", () => {
  it("finds the Tenant behind more than a page of others", async () => {
    cluster.clear();
    cluster.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    cluster.put("leases", lease(led));
    const others = Array.from({ length: 600 }, (_, index) => tenant(`t-${index}`, { spec: { namespaces: ["other"] } }));
    cluster.put("tenants", ...others, tenant("shop", { reason: "RootNotFound" }));
    cluster.put("groups", object("Group", "web", { reason: "RootNotFound", spec: { parentUid: root } }));
    expect(await causes("shop/Group/web")).toEqual(["Tenant/shop RootNotFound"]);
  });

  it("follows the Tenant to the part of its credential that fails", async () => {
    cluster.put("tenants", tenant("shop", { reason: "TokenExchangeFailed" }));
    cluster.put("groups", object("Group", "web", { reason: "TokenExchangeFailed", spec: { parentUid: root } }));
    const { causes: found } = await answer("shop/Group/web");
    expect(found).toMatchObject([
      { link: "exchange", reason: "TokenExchangeFailed", fix: reasons.TokenExchangeFailed.fix },
    ]);
    expect(found[0]?.message).toContain("system:serviceaccount:muster-system:muster-operator");
  });

  it("prints what a Tenant says that is not Ready, also where it is not the cause or another line is", async () => {
    const message = "spec.roles: x is not among the roles of the operator's setting --allowed-role.";
    cluster.put("tenants", tenant("shop", { reason: "TenantDenied", message }));
    cluster.put("groups", object("Group", "web", { reason: "TenantDenied", spec: { parentUid: root } }));
    const denied = await why("shop/Group/web");
    expect(denied.stdout).toContain("The cause is shop/Group/web (TenantDenied).");
    expect(denied.stdout).toContain(`Also: Tenant/shop is not Ready: ${message}\n`);
    cluster.put("tenants", tenant("shop", { reason: "TokenExchangeFailed", message: "it expired" }));
    cluster.put("groups", object("Group", "web", { reason: "TokenExchangeFailed", spec: { parentUid: root } }));
    expect((await why("shop/Group/web")).stdout).toContain("Also: Tenant/shop is not Ready: it expired\n");
    cluster.put("tenants", tenant("shop", { reason: "RootNotFound" }));
    cluster.put("groups", object("Group", "web", { reason: "RootNotFound", spec: { parentUid: root } }));
    expect((await why("shop/Group/web")).stdout).not.toContain("Also: ");
  });

  it("finds that the service account of a Tenant is missing, or its token may not be requested", async () => {
    const spec = { credentials: { type: "ServiceAccount", identityUid: `${root}/${"b".repeat(16)}` } };
    cluster.put("tenants", tenant("shop", { reason: "TokenUnavailable", spec }));
    cluster.put("groups", object("Group", "web", { reason: "TokenUnavailable", spec: { parentUid: root } }));
    expect((await answer("shop/Group/web")).causes).toMatchObject([
      { link: "credential", fix: expect.stringContaining("create serviceaccount muster-tenant-shop") },
    ]);
    cluster.put("serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { namespace: "muster-system", name: "muster-tenant-shop" },
    });
    cluster.permits = (right) => right !== "create serviceaccounts/token";
    expect((await answer("shop/Group/web")).causes).toMatchObject([
      { message: expect.stringContaining("may not create tokens of the service account muster-tenant-shop") },
    ]);
  });

  it("prints the command that confirms what the breaker holds", async () => {
    const breakers = [{ kind: "Group", id: "g-1", missing: 30 }];
    cluster.put("tenants", tenant("shop", { reason: "HeldByBreaker" }, { breakers }));
    cluster.put("groups", object("Group", "web", { reason: "HeldByBreaker", spec: { parentUid: root } }));
    const { causes: found } = await answer("shop/Group/web");
    expect(found).toMatchObject([{ link: "breaker", fix: expect.stringContaining("iam.muster.dev/confirm=g-1") }]);
  });

  it("asks RBAC about the operator if Kubernetes refuses", async () => {
    cluster.put("groups", object("Group", "web", { reason: "KubernetesForbidden", spec: { parentUid: root } }));
    cluster.permits = (right, user) => right !== "patch groups/status" || user === undefined;
    const { causes: found } = await answer("shop/Group/web");
    expect(found).toMatchObject([
      {
        link: "RBAC",
        message: "It lacks 1 of 5 permissions: patch groups.iam.muster.dev/status in shop.",
        reason: "KubernetesForbidden",
      },
    ]);
    cluster.forbidden.add("subjectaccessreviews");
    expect(await causes("shop/Group/web")).toEqual(["shop/Group/web KubernetesForbidden"]);
  });

  it("says of a Ready object, too, that nobody leads", async () => {
    cluster.put("leases", lease({ holderIdentity: "" }));
    const { code, stdout } = await why("shop/Group/web");
    expect(code).toBe(0);
    expect(stdout).toContain("Lease muster-system/muster-operator: No operator leads: the last one stopped.");
  });

  it("looks at the operator that serves the class of the Tenant", async () => {
    const blue = { metadata: { namespace: "muster-system", name: "muster-operator-blue" } };
    cluster.put("leases", { ...lease({ holderIdentity: "" }), ...blue });
    cluster.put("tenants", tenant("shop", { spec: { class: "blue" } }));
    cluster.put("groups", object("Group", "web", { reason: "KubernetesForbidden", spec: { parentUid: root } }));
    cluster.permits = (_, user) => user?.endsWith("-blue") !== true;
    const stopped = { link: "leader", subject: "Lease muster-system/muster-operator-blue" };
    expect((await answer("shop/Group/web")).causes).toMatchObject([
      stopped,
      { link: "RBAC", subject: "system:serviceaccount:muster-system:muster-operator-blue" },
    ]);
    expect((await answer("Tenant/shop")).chain).toContainEqual(expect.objectContaining(stopped));
    const { chain } = await answer("shop/Group/web", "--lease-name", "muster-operator");
    expect(chain.find(({ link }) => link === "leader")).toMatchObject({ state: "ok" });
  });

  it("explains a Tenant", async () => {
    cluster.put("tenants", tenant("shop", { reason: "RootNotFound", message: "spec.groups: x" }));
    expect(await causes("Tenant/shop")).toEqual(["Tenant/shop RootNotFound"]);
    expect(await why("mtenant/nope")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is no object Tenant/nope"),
    });
  });
});
