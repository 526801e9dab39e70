import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import type { Boundary } from "./boundary.ts";
import { type Denial, denial, useOrAsk } from "./denial.ts";

/**
 * Why a Tenant does not permit that a group is linked to these accounts; undefined if it does. Everything that the Tenant does
 * not list is denied.
 */
export function findAccountDenial(accounts: LinkedAccounts, boundary: Boundary): Denial | undefined {
  for (const find of Object.values(denials)) {
    const found = find(accounts, boundary);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What each provider's accounts are compared with: none can be linked without a limit. */
const denials: Readonly<
  Record<keyof LinkedAccounts, (accounts: LinkedAccounts, boundary: Boundary) => Denial | undefined>
> = {
  amazon: findAmazonDenial,
  google: findGoogleDenial,
  azure: findAzureDenial,
  github: findGithubDenial,
};

function findAmazonDenial({ amazon }: LinkedAccounts, { awsAccounts }: Boundary): Denial | undefined {
  if (amazon === undefined || awsAccounts === null || awsAccounts.includes(amazon.account)) return undefined;
  return denial(
    "spec.amazon.account",
    `the Tenant does not allow the AWS account ${amazon.account}. ${useOrAsk(awsAccounts, "spec.awsAccounts")}`,
  );
}

/** The ID and the number must be of one project: the platform may use either. */
function findGoogleDenial({ google }: LinkedAccounts, { googleProjects }: Boundary): Denial | undefined {
  if (google === undefined || googleProjects === null) return undefined;
  const textOf = ({ projectId, projectNumber }: typeof google) => `${projectId} (${projectNumber})`;
  const listed = googleProjects.map(textOf);
  if (listed.includes(textOf(google))) return undefined;
  return denial(
    "spec.google",
    `the Tenant does not allow the Google Cloud project ${textOf(google)}. ${useOrAsk(listed, "spec.googleProjects")}`,
  );
}

function findAzureDenial({ azure }: LinkedAccounts, { azureTenants }: Boundary): Denial | undefined {
  if (azure === undefined || azureTenants === null || azureTenants.includes(azure.tenantId)) return undefined;
  return denial(
    "spec.azure.tenantId",
    `the Tenant does not allow the Azure tenant ${azure.tenantId}. ${useOrAsk(azureTenants, "spec.azureTenants")}`,
  );
}

function findGithubDenial({ github }: LinkedAccounts, { githubInstallations }: Boundary): Denial | undefined {
  if (github === undefined || githubInstallations === null) return undefined;
  const installations = github.apps.flatMap((app) => app.installations);
  const denied = installations.find(({ installationId }) => !githubInstallations.includes(installationId));
  if (denied === undefined) return undefined;
  return denial(
    "spec.github.apps",
    `the Tenant does not allow the GitHub installation ${denied.installationId}. ${useOrAsk(githubInstallations, "spec.githubInstallations")}`,
  );
}
