import { loginSettings } from "#src/commands/login/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

/** With which credentials a command that only reads calls the platform, and which cluster it reads. */
export const readerSettings = {
  ...loginSettings,
  tokenFile: settings.optional(
    settings.file,
    "A file with a token of the platform, as muster token prints it, which is used instead of a login. Needs --platform-url.",
  ),
  kubeconfig: settings.optional(
    settings.file,
    "The kubeconfig of the cluster. (default: the pod's service account, or the user's kubeconfig)",
  ),
  context: settings.optional(settings.text, "The context of the kubeconfig. (default: its current context)"),
} as const;
