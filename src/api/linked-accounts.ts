import * as z from "zod";
import { awsAccount } from "./aws-account.ts";
import { matches, withRules } from "./rule.ts";
import { exactText } from "./text.ts";

/** A number that the platform keeps as a text. */
const digits = withRules(z.string().max(32), matches(/^[0-9]{1,18}$/, "must be 1 to 18 digits in quotes"));

/** A number of 64 bits, which is too large for JSON. The platform returns it without leading zeros. */
const integer = withRules(
  z.string().max(32),
  matches(/^(0|[1-9][0-9]{0,17})$/, "must be 1 to 18 digits in quotes, without leading zeros"),
);

export const googleProject = z.object({
  projectId: exactText.describe("ID of the project, such as acme-shop."),
  projectNumber: digits.describe("Number of the project: digits in quotes."),
});

export const azureTenantId = exactText.describe("ID of the Microsoft Entra tenant.");

export const githubInstallationId = integer.describe("ID of the installation of a GitHub App: digits in quotes.");

const clientIds = withRules(
  z
    .record(z.string(), exactText.describe("Client ID of an application in the tenant."))
    .refine((ids) => Object.keys(ids).length <= 32, "must have at most 32 items")
    .meta({ maxProperties: 32 }),
  {
    rule: "self.all(name, name != '' && size(name) <= 256)",
    message: "the name of a client ID must have 1 to 256 characters",
    holds: (ids) => Object.keys(ids).every((name) => name !== "" && name.length <= 256),
  },
);

const githubApp = z
  .object({
    appId: integer.describe("ID of the GitHub App: digits in quotes."),
    installations: z
      .array(
        z
          .object({
            installationId: githubInstallationId,
            name: exactText
              .exactOptional()
              .describe("Name of the installation, such as the organization. If absent, none."),
          })
          .describe("One installation."),
      )
      .min(1)
      .max(64)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["installationId"] })
      .describe("Installations of the App. spec.githubInstallations of the Tenant must list each."),
  })
  .describe("One GitHub App.");

/** The accounts at other providers to which a group is linked: the fields of a spec. */
export const linkedAccounts = {
  amazon: z
    .object({ account: awsAccount })
    .exactOptional()
    .describe(
      "Account at Amazon Web Services. spec.awsAccounts of the Tenant must list it. If absent, the group has none.",
    ),
  google: googleProject
    .exactOptional()
    .describe(
      "Project at Google Cloud. spec.googleProjects of the Tenant must list it. If absent, the group has none.",
    ),
  azure: z
    .object({
      tenantId: azureTenantId,
      clientIds: clientIds
        .exactOptional()
        .describe("Client IDs of applications in the tenant, by names of your choice. If absent, none."),
    })
    .exactOptional()
    .describe(
      "Tenant at Microsoft Azure. spec.azureTenants of the Tenant must list its ID. If absent, the group has none.",
    ),
  github: z
    .object({
      apps: z
        .array(githubApp)
        .min(1)
        .max(16)
        .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["appId"] })
        .describe("GitHub Apps and their installations."),
    })
    .exactOptional()
    .describe("Installations of GitHub Apps. If absent, the group has none."),
};

const linkedAccountsSchema = z.object(linkedAccounts);

/** The accounts at other providers to which a group is linked. */
export type LinkedAccounts = z.output<typeof linkedAccountsSchema>;
