import { platformAccessSettings, uid } from "#src/commands/login/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";

/** With which credentials a command that only reads calls the platform, and which cluster it reads. */
export const readerSettings = {
  ...platformAccessSettings,
  kubeconfig: settings.optional(
    settings.file,
    "The kubeconfig of the cluster. (default: the pod's service account, or the user's kubeconfig)",
  ),
  context: settings.optional(settings.text, "The context of the kubeconfig. (default: its current context)"),
} as const;

/** For commands that also work without a cluster. */
export const noCluster = settings.toggle("Read no cluster. Which objects declare something then stays unknown.");

/** The operator's identity, for commands that its own pod can run with it; see `podIdentityOf`. */
export const podIdentitySettings = {
  identity: settings.optional(
    uid,
    "The uid of the operator's identity. In the operator's pod, it is assumed if no token and no cluster is named.",
  ),
  authUrl: settings.optional(settings.url, "The address of the token service. (default: --platform-url)"),
  subjectTokenFile: settings.withDefault(
    settings.file,
    "/var/run/secrets/muster/token",
    "In the operator's pod: the file with its service-account token, which is exchanged for a token of --identity, unless --token-file names it.",
  ),
} as const;

/** Where the operator is that a command asks about. */
export const operatorPlaceSettings = {
  operatorNamespace: settings.optional(
    { ...settings.text, placeholder: "NAME" },
    "The namespace of the operator. (default: muster-system; in the operator's pod, its own)",
  ),
  leaseName: settings.optional(
    { ...settings.text, placeholder: "NAME" },
    "The name of the operator's Lease and of its service account. (default: muster-operator; of an operator with a class, muster-operator-CLASS)",
  ),
} as const;
