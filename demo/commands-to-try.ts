import type { Screen } from "./screen.ts";
import type { Stage } from "./stage.ts";

/** What a person may type in another terminal while everything is up. */
export function showCommandsToTry(screen: Screen, { cluster: ground, system, operator }: Stage): void {
  const { kubectl } = ground;
  const blocks: readonly (readonly [string, readonly string[]])[] = [
    [
      "Kubernetes, in another terminal:",
      [
        ...ground.kubeconfigCommands,
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
    // Never cut or broken: they are there to be copied.
    for (const command of commands) screen.verbatim(`    ${command}`);
  }
  screen.show([""]);
  screen.say("Ctrl-C ends all of it and removes its files.", { style: "bold" });
}
