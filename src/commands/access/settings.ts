import * as settings from "#src/commands/settings/settings.ts";
import { loginSettings } from "#src/commands/login/settings.ts";
import { anyOutput } from "#src/commands/output/output-format.ts";

/** With which credentials a command of `muster access` reads, from where, and how it prints the answer. */
export const accessSettings = {
  output: anyOutput("table"),
  ...loginSettings,
  tokenFile: settings.optional(
    settings.file,
    "A file with a token of the platform, which is used instead of a login. Needs --platform-url.",
  ),
  kubeconfig: settings.optional(
    settings.file,
    "The kubeconfig of the cluster whose objects declare groups, identities and role bindings. (default: the pod's service account, or the user's kubeconfig)",
  ),
  context: settings.optional(settings.text, "The context of the kubeconfig. (default: its current context)"),
  noCluster: settings.toggle("Read no cluster: by which objects something is declared stays unknown."),
  timeout: settings.withDefault(settings.duration, "60s", "The time limit of each call of the platform."),
} as const;

export type AccessValues = settings.Values<typeof accessSettings>;

export const capability = settings.operand(
  { ...settings.text, placeholder: "CAPABILITY" },
  "The capability, such as repo.create or CAP_REPO_CREATE.",
);

export const identity = settings.operand(
  { ...settings.text, placeholder: "IDENTITY" },
  "The identity: its uid, or its name or path if that is unique, such as shop/ci.",
);

export const group = settings.required(
  { ...settings.text, placeholder: "GROUP" },
  "The group: its uid, or its name or path if that is unique, such as acme/shop. The uid of a resource in a group, such as a repo, is accepted, too.",
);
