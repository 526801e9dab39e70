import { operatorSettings } from "#src/commands/operator/settings.ts";
import { anyOutput } from "#src/commands/output/output-format.ts";
import { maxObjects } from "#src/commands/reader/object-limit.ts";
import { readerSettings } from "#src/commands/reader/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

const {
  authUrl,
  identity,
  rootGroup,
  allowedNamespace,
  allowedRole,
  class: operatorClass,
  ownerId,
  previousOwnerId,
  publicIssuer,
  serviceAccountAudience,
  breakerObjects,
  platformTimeout,
  settleTime,
} = operatorSettings;

/** The settings of `muster plan`: what is planned, who asks, and the settings of the operator that acts. */
export const planSettings = {
  filename: {
    ...settings.flagOnly(
      settings.optionalList(
        { ...settings.file, placeholder: "DIR|FILE|-" },
        "Manifests that would be applied: a file, a folder with everything below it, or - for standard input.",
      ),
    ),
    short: "f",
  },
  kustomize: {
    ...settings.flagOnly(
      settings.optionalList(
        { ...settings.file, placeholder: "DIR" },
        "A folder with a kustomization that would be applied. kubectl, or kustomize, must be in the PATH.",
      ),
    ),
    short: "k",
  },
  delete: settings.flagOnly(settings.toggle("Plan the deletion of the objects in the files.")),
  live: settings.flagOnly(settings.toggle("Plan what the operator would do now, without any change of the cluster.")),
  offline: settings.flagOnly(
    settings.toggle(
      "Call no Kubernetes: Tenants, Namespaces and objects are those in the files. Needs --owner-id and --service-account-issuer.",
    ),
  ),
  assumeOperator: settings.flagOnly(
    settings.toggle(
      "Where you may not see the operator's identity: assume that it records the owner id and is owner of the root groups. A viewer of a Tenant's groups, which are then given as --root-group, can plan with it.",
    ),
  ),
  output: anyOutput("table"),
  namespace: {
    ...settings.optional(
      { ...settings.text, placeholder: "NAME" },
      "The namespace of objects that name none. (default: the context's, or default)",
    ),
    short: "n",
  },
  ...readerSettings,
  identity,
  rootGroup,
  allowedRole,
  allowedNamespace,
  class: operatorClass,
  authUrl,
  ownerId,
  previousOwnerId,
  serviceAccountIssuer: settings.optional(
    settings.text,
    "The issuer of the cluster's service-account tokens. (default: what the API server publishes)",
  ),
  serviceAccountAudience,
  publicIssuer,
  breakerObjects,
  platformTimeout,
  settleTime,
  maxObjects,
} as const;

export type PlanValues = settings.Values<typeof planSettings>;
