import { join } from "node:path";
import { issuer, ownerId, type World } from "./world.ts";

/** A command of a person or a pipeline that reads everything. */
export interface MeasuredCommand {
  readonly args: (world: World) => readonly string[];
  /** Another exit code fails the benchmark. */
  readonly exitCode: number;
  /** What must be in the output: the proof that the command did its work. */
  readonly prints: string;
}

const platform = ({ tokenFile, url }: World) => ["--platform-url", url, "--token-file", tokenFile];
const cluster = ({ kubeconfig }: World) => ["--kubeconfig", kubeconfig];
const operator = ({ operator: identity, rootGroup }: World) => {
  const flags = { identity, "root-group": rootGroup, "owner-id": ownerId, "service-account-issuer": issuer };
  const roles = ["viewer", "editor"].flatMap((role) => ["--allowed-role", role]);
  return [...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]), ...roles];
};

/** By the name for `--command`. A command that reads the whole platform belongs here. */
export const measuredCommands: Readonly<Record<string, MeasuredCommand>> = {
  "plan-live": {
    args: (world) => ["plan", "--live", ...operator(world), ...platform(world), ...cluster(world)],
    exitCode: 0,
    prints: "Plan: nothing to do.",
  },
  "plan-change": {
    args: (world) => [
      "plan",
      "-f",
      join(world.folder, "change.yaml"),
      ...operator(world),
      ...platform(world),
      ...cluster(world),
    ],
    exitCode: 2,
    prints: "Plan: 1 to create.",
  },
  "plan-offline": {
    args: (world) => [
      "plan",
      "--offline",
      "-f",
      join(world.folder, "everything.json"),
      ...operator(world),
      ...platform(world),
    ],
    // Files have no status: role bindings, which carry no marker, are taken over without a write.
    exitCode: 2,
    prints: " to adopt.",
  },
  "who-can": {
    args: (world) => ["access", "who-can", "repo.create", "--group", "group-1", ...platform(world), ...cluster(world)],
    exitCode: 0,
    prints: "repo.create",
  },
};
