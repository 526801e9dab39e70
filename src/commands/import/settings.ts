import { uid } from "#src/commands/login/settings.ts";
import { operatorSettings } from "#src/commands/operator/settings.ts";
import { answerOutput } from "#src/commands/output/answer-format.ts";
import { noCluster, podIdentitySettings, readerSettings } from "#src/commands/reader/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

const { class: operatorClass, ownerId, previousOwnerId, publicIssuer, platformTimeout } = operatorSettings;

/** The settings of `muster import`: what is imported, to where, how, and who asks. */
export const importSettings = {
  group: settings.flagOnly(
    settings.required(
      { ...settings.text, placeholder: "GROUP" },
      "The group whose contents are imported, with everything below it: its uid, or its name or path if that is unique, such as acme/shop.",
    ),
  ),
  dir: settings.flagOnly(
    settings.required(
      { ...settings.file, placeholder: "DIR" },
      "The folder for the manifests. It is created if it does not exist. An earlier import of the same group in it is updated.",
    ),
  ),
  management: settings.flagOnly(
    settings.optional(
      settings.oneOf("Observe", "Full"),
      "Whether the objects only observe what exists, or manage it. Full is the same as --adopt. (default: Observe)",
    ),
  ),
  adopt: settings.flagOnly(
    settings.toggle("Write manifests that take over what exists: the operator manages it from then on."),
  ),
  namespace: {
    ...settings.optional(
      settings.matching("NAME", /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "the name of a namespace"),
      "The namespace of the objects, and the name of their Tenant. (default: as in an earlier import into the folder, or the name of the group)",
    ),
    short: "n",
  },
  breakGlass: settings.optionalList(
    uid,
    "The uid of an identity for emergencies: it is only observed, and its role bindings are left alone.",
  ),
  withoutSecret: settings.optionalList(
    uid,
    "The uid of an identity provider without a client secret, where PKCE alone protects the login: its manifest names no Secret.",
  ),
  output: answerOutput(),
  ...readerSettings,
  ...podIdentitySettings,
  noCluster: {
    ...noCluster,
    help: "Read no cluster: what its objects declare already gets a second object, unless it carries a marker.",
  },
  ownerId: {
    ...ownerId,
    help: "The owner id of the operator that will manage the objects. It matters if an operator manages something in the group already. (default: the uid of the namespace kube-system)",
  },
  previousOwnerId,
  class: { ...operatorClass, help: "The class of the operator that is to serve the Tenant. (default: none)" },
  serviceAccountIssuer: settings.optional(
    settings.text,
    "The issuer of the cluster's service-account tokens. It matters if identities in the group accept patterns of its subjects.",
  ),
  publicIssuer,
  platformTimeout,
} as const;

export type ImportValues = settings.Values<typeof importSettings>;
