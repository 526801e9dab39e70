import { bugsOfCommands } from "./commands.ts";
import { bugsOfPlatformCalls } from "./operator-calls.ts";
import { bugsOfKubernetesCalls } from "./operator-kubernetes.ts";
import { bugsOfObservation } from "./operator-observation.ts";
import { bugsOfPolicy } from "./operator-policy.ts";
import { bugsOfPodsAndLogins } from "./pods-and-logins.ts";
import { bugsOfAudit } from "./platform-audit.ts";
import type { Area, PlantedBug } from "./planted-bug.ts";
import { bugsOfLogin } from "./platform-login.ts";
import { bugsOfResources } from "./platform-resources.ts";
import { bugsOfTokens } from "./platform-tokens.ts";

/** The whole table. */
export const plantedBugs: Readonly<Record<Area, readonly PlantedBug[]>> = {
  operator: [...bugsOfKubernetesCalls, ...bugsOfPolicy, ...bugsOfObservation, ...bugsOfPlatformCalls],
  platform: [...bugsOfTokens, ...bugsOfResources, ...bugsOfLogin, ...bugsOfAudit],
  commands: [...bugsOfCommands, ...bugsOfPodsAndLogins],
};
