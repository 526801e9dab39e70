import type { CommandList } from "./commands/command.ts";

/** Every command by its name, which is one or two words. */
export const commands: CommandList = {
  operator: { group: "Operator", load: () => import("./commands/operator/start.ts") },
  "operator check": { group: "Operator", load: () => import("./commands/operator/check.ts") },
  bootstrap: { group: "Operator", load: () => import("./commands/bootstrap/bootstrap.ts") },
  plan: { group: "Operator", load: () => import("./commands/plan/plan.ts") },
  "uninstall-check": { group: "Operator", load: () => import("./commands/uninstall/uninstall-check.ts") },
  platform: { group: "Platform", load: () => import("./commands/platform/platform.ts") },
  "platform admin-token": { group: "Platform", load: () => import("./commands/platform/admin-token.ts") },
  "platform audit": { group: "Platform", load: () => import("./commands/platform/audit.ts") },
  "platform backup": { group: "Platform", load: () => import("./commands/platform/backup.ts") },
  "platform load": { group: "Platform", load: () => import("./commands/platform/load.ts") },
  "platform migrate": { group: "Platform", load: () => import("./commands/platform/migrate.ts") },
  "platform restore": { group: "Platform", load: () => import("./commands/platform/restore.ts") },
  "platform rotate-key-file": { group: "Platform", load: () => import("./commands/platform/rotate-key-file.ts") },
  "platform rotate-signing-key": { group: "Platform", load: () => import("./commands/platform/rotate-signing-key.ts") },
  agent: { group: "Workloads", load: () => import("./commands/workload/agent.ts") },
  token: { group: "Workloads", load: () => import("./commands/workload/token.ts") },
  "credential-helper docker": {
    group: "Workloads",
    load: () => import("./commands/workload/credential-helper-docker.ts"),
  },
  "credential-helper kubectl": {
    group: "Workloads",
    load: () => import("./commands/workload/credential-helper-kubectl.ts"),
  },
  inject: { group: "Workloads", load: () => import("./commands/inject/inject.ts") },
  login: { group: "People", load: () => import("./commands/login/login.ts") },
  logout: { group: "People", load: () => import("./commands/login/logout.ts") },
  whoami: { group: "People", load: () => import("./commands/login/whoami.ts") },
  api: { group: "People", load: () => import("./commands/login/api.ts") },
  completion: { group: "Other", load: () => import("./commands/completion/completion.ts") },
  help: { group: "Other", load: () => import("./commands/help/help.ts") },
  version: { group: "Other", load: () => import("./commands/version/version.ts") },
};
