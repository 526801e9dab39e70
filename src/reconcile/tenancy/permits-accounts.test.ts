import { expect, it } from "vitest";
import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { boundaryOf } from "./boundary.ts";
import { everything } from "./boundary.testing.ts";
import { findAccountDenial } from "./permits-accounts.ts";

const outer = { roots: ["a".repeat(40)], roles: [], namespaces: null };
const nothing = boundaryOf(tenantSpecSchema.parse({ namespaces: ["shop"] }), outer);
const some = boundaryOf(
  tenantSpecSchema.parse({
    namespaces: ["shop"],
    awsAccounts: ["123456789012"],
    googleProjects: [{ projectId: "acme-shop", projectNumber: "42" }],
    azureTenants: ["acme"],
    githubInstallations: ["9"],
  }),
  outer,
);
const github = (...ids: readonly string[]) => ({
  apps: [{ appId: "7", installations: ids.map((installationId) => ({ installationId })) }],
});
const permitted: LinkedAccounts = {
  amazon: { account: "123456789012" },
  google: { projectId: "acme-shop", projectNumber: "42" },
  azure: { tenantId: "acme" },
  github: github("9"),
};

it("permits what the Tenant lists, and everything where there is no Tenant", () => {
  expect(findAccountDenial(permitted, some)).toBeUndefined();
  expect(findAccountDenial({ ...permitted, azure: { tenantId: "other" } }, everything(outer))).toBeUndefined();
  expect(findAccountDenial({}, nothing)).toBeUndefined();
});

it.each<[string, LinkedAccounts, string, string]>([
  ["amazon", permitted, "spec.amazon.account", "spec.awsAccounts"],
  ["google", { google: { projectId: "acme-shop", projectNumber: "42" } }, "spec.google", "spec.googleProjects"],
  ["azure", { azure: { tenantId: "acme" } }, "spec.azure.tenantId", "spec.azureTenants"],
  ["github", { github: github("9") }, "spec.github.apps", "spec.githubInstallations"],
])("denies %s where the Tenant lists nothing, and names the field to change", (_, accounts, path, field) => {
  expect(findAccountDenial(accounts, nothing)).toEqual({
    path,
    message: expect.stringContaining(`Ask an administrator to add it to ${field} of the Tenant.`) as string,
  });
});

it.each<[string, LinkedAccounts, string]>([
  [
    "another AWS account",
    { amazon: { account: "210987654321" } },
    "the Tenant does not allow the AWS account 210987654321. Use one of 123456789012, or ask an administrator to add it to spec.awsAccounts of the Tenant.",
  ],
  [
    "a permitted project with the number of another one",
    { google: { projectId: "acme-shop", projectNumber: "43" } },
    "the Tenant does not allow the Google Cloud project acme-shop (43). Use one of acme-shop (42), or ask an administrator to add it to spec.googleProjects of the Tenant.",
  ],
  [
    "one installation of several",
    { github: github("9", "10") },
    "the Tenant does not allow the GitHub installation 10. Use one of 9, or ask an administrator to add it to spec.githubInstallations of the Tenant.",
  ],
  [
    "an installation of a second App",
    { github: { apps: [...github("9").apps, { appId: "8", installations: [{ installationId: "10" }] }] } },
    "the Tenant does not allow the GitHub installation 10. Use one of 9, or ask an administrator to add it to spec.githubInstallations of the Tenant.",
  ],
])("denies %s", (_, accounts, message) => {
  expect(findAccountDenial(accounts, some)?.message).toBe(message);
});
