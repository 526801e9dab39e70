import type { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";

/** Shows commands for another terminal while everything keeps running. */
export function showCommandsToTry(screen: Screen, { cluster: demoCluster, system, operator }: Stage): void {
  const { kubectl } = demoCluster;
  const blocks: readonly (readonly [string, readonly string[]])[] = [
    [
      "Kubernetes, in another terminal:",
      [
        ...demoCluster.kubeconfigCommands,
        `${kubectl} get muster`,
        `${kubectl} describe mgroup checkout`,
        `${kubectl} edit mid builds`,
        `kubectl explain identities.iam.muster.dev.spec`,
      ],
    ],
    [
      "The platform, as its administrator:",
      [`curl -H "Authorization: Bearer $(cat ${system.adminTokenFile})" ${system.platformUrl}/iam/v2beta1/groups`],
    ],
    ["The operator's metrics:", [`curl ${operator.url}/metrics`]],
  ];
  for (const [title, commands] of blocks) {
    screen.show([""]);
    screen.say(title);
    // Not wrapped: the user copies them.
    for (const command of commands) screen.verbatim(`    ${command}`);
  }
  screen.show([""]);
  screen.say("Ctrl-C stops everything and removes its files.", { style: "bold" });
}
