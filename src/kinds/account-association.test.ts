import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { type AccountAssociation, accountAssociationSpecSchema } from "#src/api/account-association.ts";
import { sameContent } from "#src/platform-client/collection-view.ts";
import { accountAssociationKind, type ExternalAccountAssociation } from "./account-association.ts";
import type { DesiredContext } from "./kind.ts";

const group = "a".repeat(40);
const context = {} as DesiredContext;
const full = {
  name: "cloud",
  description: "d",
  amazon: { account: "123456789012" },
  google: { projectId: "acme-shop", projectNumber: "42" },
  azure: { tenantId: "acme" },
  github: {
    apps: [{ appId: "7", installations: [{ installationId: "9", name: "acme" }, { installationId: "10" }] }],
  },
};

function association(spec: object): AccountAssociation {
  const parsed = accountAssociationSpecSchema.parse({ groupUid: group, ...spec });
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "AccountAssociation", metadata: { name: "shop" }, spec: parsed };
}

/** As the platform returns it. */
function external(fields: object): ExternalAccountAssociation {
  return accountAssociationKind.collection.schema.parse({
    uid: group,
    createTime: "2026-01-01T00:00:00.000Z",
    ...fields,
  });
}

const everywhere = {
  ...full,
  azure: { tenantId: "acme", clientIds: {} },
  github: {
    appInstallations: { 7: { installations: [{ installationId: "10" }, { installationId: 9, name: "acme" }] } },
  },
};

it("equals what the platform returns, in whichever order", () => {
  const desired = accountAssociationKind.desired(association(full), { parent: group }, context);
  expect(accountAssociationKind.actual(external(everywhere), desired)).toEqual(desired);
});

it("is read as the same text, in whichever order the platform returns what has none", () => {
  const [ids, installations] = [
    Object.entries({ ci: "1", cd: "2" }),
    [{ installationId: "9" }, { installationId: "10" }],
  ];
  const inOrder = (order: <T>(list: readonly T[]) => readonly T[]) =>
    external({
      azure: { tenantId: "acme", clientIds: Object.fromEntries(order(ids)) },
      github: {
        appInstallations: Object.fromEntries(
          order(["99999999999", "88888888888"]).map((app) => [app, { installations: order(installations) }]),
        ),
      },
    });
  const reversed = inOrder((list) => list.toReversed());
  expect(
    sameContent(
      inOrder((list) => list),
      reversed,
    ),
  ).toBe(true);
});

it.each([
  ["another client ID", full, { azure: { tenantId: "acme", clientIds: { ci: "1" } } }, "azure"],
  ["another installation", full, { github: { appInstallations: { 7: {} } } }, "github"],
  ["a missing account", full, { amazon: undefined }, "amazon"],
])("differs from %s", (_, spec, fields, field) => {
  const desired = accountAssociationKind.desired(association(spec), { parent: group }, context);
  const actual = accountAssociationKind.actual(external({ ...everywhere, ...fields }), desired);
  const different = Object.keys(desired).filter((one) => !isDeepStrictEqual(desired[one], actual[one]));
  expect(different).toEqual([field]);
});

it.each(["amazon", "google", "azure", "github"] as const)(
  "removes an account that the spec does not name: %s",
  (field) => {
    const { [field]: _, ...others } = full;
    const desired = accountAssociationKind.desired(association(others), { parent: group }, context);
    expect(desired[field]).toBeNull();
    expect(accountAssociationKind.actual(external(everywhere), desired)[field]).not.toBeNull();
  },
);

it("manages no account if the object only observes and names none", () => {
  const observing = association({ policy: { management: "Observe" } });
  expect(accountAssociationKind.desired(observing, { parent: group }, context)).toEqual({ name: "shop" });
});

it.each([
  ["name", "spec.name"],
  ["google.project_number", "spec.google.projectNumber"],
  ["amazon.account", "spec.amazon.account"],
  ["github.appInstallations", "spec.github.apps"],
])("an error about %s is about %s", (field, path) => {
  expect(accountAssociationKind.specPath(field, association(full))).toBe(path);
});
