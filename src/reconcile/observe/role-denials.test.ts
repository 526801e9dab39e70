import { expect, it } from "vitest";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { boundaryOf } from "#src/reconcile/tenancy/boundary.ts";
import { findReferenceDenial, type TenantLimits } from "./reference-denials.ts";

const uids = { viewer: "a".repeat(40), editor: "b".repeat(40), owner: "c".repeat(40) };
const builtIn = Object.entries(uids).map(([name, uid]) => ({ uid, name, capabilities: [] }));

/** The message about a reference to a role, in a Tenant and an operator that allow these roles. */
function messageAbout(role: keyof typeof uids, roles: readonly string[], outerRoles: readonly string[]) {
  const limits: TenantLimits = {
    tenant: "shop",
    boundary: boundaryOf(tenantSpecSchema.parse({ namespaces: ["shop"], roles }), {
      roots: [],
      roles: outerRoles,
      namespaces: null,
    }),
    roles: {
      byUid: new Map(builtIn.map((one) => [one.uid, one])),
      byName: new Map(builtIn.map((one) => [one.name, one])),
    },
    isDeclaredRole: () => false,
    capabilitiesOf: () => undefined,
    isCredential: () => false,
    serviceAccounts: { issuer: "", audience: "" },
    publicIssuers: [],
  };
  const field = { purpose: "role", path: "spec.roleRef", target: { by: "builtInRole" } } as unknown as Parameters<
    typeof findReferenceDenial
  >[0];
  const denial = findReferenceDenial(field, { uid: uids[role], through: "limits" }, limits);
  return denial?.are === "denied" ? denial.message : undefined;
}

it("names the roles that can be bound where neither the Tenant nor the operator allows one", () => {
  expect(messageAbout("owner", ["viewer", uids.editor], ["viewer"])).toBe(
    "spec.roleRef: Tenant shop does not allow the role owner to be bound. Use one of viewer, or ask an administrator to add it to spec.roles of the Tenant, and to the operator's setting --allowed-role if it is missing there.",
  );
});

it.each([["editor"], [uids.editor]])(
  "names the operator's setting where the Tenant allows the role, as %s",
  (listed) => {
    expect(messageAbout("editor", ["viewer", listed], ["viewer"])).toBe(
      "spec.roleRef: Tenant shop allows the role editor to be bound, but the operator's setting --allowed-role does not. Ask an administrator to add it there.",
    );
  },
);

it("allows a role that both allow, one by its name and the other by its uid", () => {
  expect(messageAbout("editor", [uids.editor], ["editor"])).toBeUndefined();
});
