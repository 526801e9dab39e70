import { rm } from "node:fs/promises";
import { join } from "node:path";
import { issuer, type Maker, namespace, ownerId, type World } from "./world.ts";

/** A command of a person or a pipeline that reads everything. */
export interface MeasuredCommand {
  readonly args: (world: World) => readonly string[];
  /** Another exit code fails the benchmark. */
  readonly exitCode: number;
  /** What must be in the output: the proof that the command did its work. */
  readonly prints: string;
  /** Who made what is on the platform; by default the operator. */
  readonly maker?: Maker;
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[];
  /** Runs before each measurement, and is not measured. @param run runs the program once, with these arguments */
  readonly prepare?: (world: World, run: RunProgram) => Promise<unknown>;
}

export type RunProgram = (args: readonly string[]) => Promise<unknown>;

const platform = ({ tokenFile, url }: World) => ["--platform-url", url, "--token-file", tokenFile];
const cluster = ({ kubeconfig }: World) => ["--kubeconfig", kubeconfig];
const operator = ({ operator: identity, rootGroup }: World) => {
  const flags = { identity, "root-group": rootGroup, "owner-id": ownerId, "service-account-issuer": issuer };
  const roles = ["viewer", "editor"].flatMap((role) => ["--allowed-role", role]);
  return [...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]), ...roles];
};

const imported = ({ folder }: World, name: string) => join(folder, "imported", name);
const importInto = (name: string, objects: (world: World) => readonly string[]) => (world: World) => [
  "import",
  "--group",
  world.rootGroup,
  "--dir",
  imported(world, name),
  "--namespace",
  namespace,
  "--adopt",
  ...objects(world),
  ...platform(world),
];
const importAlone = (name: string) => importInto(name, () => ["--no-cluster"]);

/** What the command reads as the time of day: a role binding of today is not judged. */
const shift = "const now = Date.now; Date.now = () => now() + 2 * 24 * 60 * 60 * 1000;";
const twoDaysLater = ["--import", `data:text/javascript,${encodeURIComponent(shift)}`];

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
  explain: {
    args: (world) => [
      "access",
      "explain",
      "group-1-ci-1",
      "groups.list",
      "--group",
      "group-1",
      ...platform(world),
      ...cluster(world),
    ],
    exitCode: 0,
    prints: "group-1-ci-1",
  },
  report: {
    args: (world) => [
      "access",
      "report",
      "--group",
      world.rootGroup,
      "--output",
      "html",
      ...platform(world),
      ...cluster(world),
    ],
    exitCode: 0,
    prints: "</html>",
  },
  unused: {
    args: (world) => ["access", "unused", "--days", "1", ...platform(world), ...cluster(world)],
    exitCode: 0,
    prints: "editor",
    nodeFlags: twoDaysLater,
  },
  "import-first": {
    maker: "people",
    args: importAlone("first"),
    // The credential of the operator is never imported.
    exitCode: 3,
    prints: "0 unchanged, 0 removed",
    prepare: async (world) => rm(imported(world, "first"), { recursive: true, force: true }),
  },
  "import-again": {
    maker: "people",
    args: importAlone("again"),
    exitCode: 3,
    prints: "Files: 0 written",
    prepare: async (world, run) => run(importAlone("again")(world)),
  },
  "import-declared": {
    maker: "people",
    args: importInto("declared", cluster),
    exitCode: 3,
    prints: `declared by ${namespace}/group-0`,
    prepare: async (world) => rm(imported(world, "declared"), { recursive: true, force: true }),
  },
};
