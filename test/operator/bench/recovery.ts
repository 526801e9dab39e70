import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { benchmarkCommand, type Run } from "#test/support/bench/benchmark.ts";
import { number } from "#test/support/bench/options.ts";
import { seconds } from "#test/support/bench/outcome.ts";
import { isReady, kindRef, musterObject } from "#test/support/harness/muster-objects.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { createAll } from "./apply.ts";
import { killPlatform } from "./kill-platform.ts";
import { inWorld, type World } from "./world.ts";

/** Groups that are created after the backup: fewer than the breaker holds back. */
const createdLater = 15;

export const recovery = benchmarkCommand({
  name: "recovery",
  summary: "How long it takes to restore a platform from a backup, until every object is Ready again.",
  help: `The data of a platform is lost, and restored from a backup. ${createdLater} groups are created after the backup.`,
  manifest: "deploy/kustomize/base/deployment.yaml",
  layout: "rows",
  options: { objects: number("groups", 1_000, { small: 20 }) },
  measure: ({ objects }, run) => inWorld(run, { namespaces: ["team"] }, (world) => recover(world, objects)),
});

async function recover(world: World, objects: number): Promise<void> {
  const { system, controlPlane, run, startOperator } = world;
  const step = (name: string, work: () => Promise<unknown>) => timed(run, `${objects} groups: ${name}`, work);
  const groups = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) =>
      musterObject("Group", "team", `${prefix}-${n}`, { parentUid: system.root }),
    );
  const [backup, restored] = [join(system.folder, "backup.db"), join(system.folder, "restored.db")];
  const operator = await startOperator(["--resync", "2s"]);
  await operator.process.logged("leading");
  await createAll(world, groups(objects, "group"));
  await step("backup", () => muster(run, "platform", "backup", backup, "--data", system.platformDataFile));
  await createAll(world, groups(createdLater, "later"));

  const startPlatform = killPlatform(system, run.own);
  await step("restore", () => muster(run, "platform", "restore", backup, "--data", restored));
  const before = operator.process.log.length;
  await using started = new AsyncDisposableStack();
  await step("start of the platform", async () => {
    const platform = await startPlatform(["--data", restored, "--key-file", `${system.platformDataFile}.key`]);
    started.defer(() => platform.kill());
  });
  await step("until every object is Ready, and those created after the backup exist again", async () => {
    await operator.process.logged(({ msg, step: one }) => msg === "platform changed" && one === "create", before);
    for (;;) {
      const uids = new Set((await system.admin.list("groups")).map(({ uid }) => uid));
      const found = await controlPlane.admin.list(kindRef("Group"), { namespace: "team" });
      if (found.every((group) => isReady(group) && uids.has(group["status"].uid))) return;
      await sleep(100);
    }
  });
}

async function muster({ own }: Run, ...args: readonly string[]): Promise<void> {
  const command = new MusterProcess(args, { program: own.file, env: own.env });
  await command.ended;
  if (command.exitCode !== 0) throw new Error(command.lastOutput());
}

async function timed(run: Run, name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  run.report({ case: name, figures: [seconds("took", (performance.now() - startedAt) / 1000)] });
}
