import { expect, it } from "vitest";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { type BootstrapManifests, manifests } from "./manifests.ts";

const group = "a".repeat(40);
const values: BootstrapManifests = {
  configMap: "muster-system/muster-identity",
  identity: `${group}/1111111111111111`,
  group,
  ownerId: "cluster",
  tenant: "default",
  tenantNamespaces: ["shop"],
  tenantRoles: ["viewer"],
  tenantIssuers: [],
};
const printed = (more: Partial<BootstrapManifests>) =>
  manifests({ ...values, ...more }) as readonly Record<string, object>[];

it("permits the issuers that were asked for, and no other", () => {
  const [, tenant] = printed({ tenantIssuers: ["https://ci.example.com"] });
  expect(tenant).toMatchObject({ spec: { claimIssuers: [{ issuer: "https://ci.example.com" }] } });
  expect(printed({})[1]?.["spec"]).not.toHaveProperty("claimIssuers");
});

it("gives the operator and the Tenant the same class", () => {
  const [configMap, tenant] = printed({ class: "blue" });
  expect(configMap).toMatchObject({ data: { MUSTER_CLASS: "blue" } });
  expect(tenant).toMatchObject({ spec: { class: "blue" } });
  expect(printed({})[0]?.["data"]).not.toHaveProperty("MUSTER_CLASS");
});

it("prints a Tenant that matches its schema", () => {
  for (const tenantIssuers of [[], ["https://ci.example.com"]])
    expect(tenantSpecSchema.safeParse(printed({ tenantIssuers, class: "blue" })[1]?.["spec"]).success).toBe(true);
});
