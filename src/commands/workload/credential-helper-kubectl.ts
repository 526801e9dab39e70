import { defineCommand } from "#src/commands/command.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { execCredential, execCredentialVersion } from "#src/workload/exec-credential.ts";
import { exchangeOnce } from "./exchange.ts";
import { exchangeSettings } from "./settings.ts";

export default defineCommand({
  summary: "give kubectl a token of the platform, for clusters that trust its tokens",
  description: `In the kubeconfig, for a user:
  exec:
    apiVersion: client.authentication.k8s.io/v1
    command: muster
    args: [credential-helper, kubectl, --audience, AUDIENCE]
    interactiveMode: Never`,
  settings: {
    ...exchangeSettings,
    audience: settings.required(
      settings.text,
      "The audience of the token, which the cluster expects. The platform must allow it (--audience of `muster platform`).",
    ),
  },
  run: async (values, { env, signal, stdout }) => {
    const version = execCredentialVersion(env["KUBERNETES_EXEC_INFO"]);
    stdout.write(`${execCredential(version, await exchangeOnce(values, values.audience, { env, signal }))}\n`);
  },
});
