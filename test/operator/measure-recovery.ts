import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { readCommandLine, wholeNumber } from "#test/support/command-line.ts";
import { isReady, kindRef, musterObject } from "#test/support/harness/muster-objects.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { System } from "#test/support/harness/system.ts";

const usage = `Usage: npm run measure:recovery [-- OBJECTS]

Loses the data of a platform, restores it from a backup, and prints how long each step takes until every object is Ready again,
those included that were created after the backup. OBJECTS is the number of groups; default: 1000.
`;

/** Groups that are created after the backup: fewer than the breaker holds back. */
const createdLater = 15;

const count = readCommandLine({ name: "measure:recovery", usage }, ([given = "1000"]) =>
  wholeNumber("OBJECTS", given, 1),
);

const controlPlane = await startControlPlane();
const system = await System.start({ controlPlane });
const data = join(system.folder, "platform.db");
const backup = join(system.folder, "backup.db");
const flags = ["--data", data, "--admin-token-file", system.adminTokenFile];
const trusted = ["--trusted-issuer", `${controlPlane.url},ca=${controlPlane.caFile ?? ""}`];
let restored: PlatformProcess | undefined;
try {
  const operator = await system.startOperator(["--resync", "2s"]);
  await operator.process.logged("leading");
  await apply(count, "group");
  await untilReady(count);
  await step("backup", () => run("platform", "backup", backup, "--data", data));
  await apply(createdLater, "later");
  await untilReady(count + createdLater);

  process.kill(system.platformPid, "SIGKILL");
  await step("restore", () => run("platform", "restore", backup, "--data", join(system.folder, "restored.db")));
  const before = operator.process.log.length;
  const port = Number(new URL(system.platformUrl).port);
  await step("start of the platform", async () => {
    const location = ["--data", join(system.folder, "restored.db"), "--key-file", `${data}.key`];
    restored = new PlatformProcess([...location, ...flags.slice(2), ...trusted], { port });
    await restored.listening();
  });
  await step("until every object is Ready, and those created after the backup exist again", async () => {
    await operator.process.logged(({ msg, step: one }) => msg === "platform changed" && one === "create", before);
    for (;;) {
      const uids = new Set((await system.admin.list("groups")).map(({ uid }) => uid));
      const groups = await controlPlane.admin.list(kindRef("Group"), { namespace: "team" });
      if (groups.every((group) => isReady(group) && uids.has(group["status"].uid))) return;
      await sleep(100);
    }
  });
} finally {
  await restored?.kill();
  await system.stop();
  await controlPlane.stop();
}
process.exit();

async function apply(groups: number, prefix: string): Promise<void> {
  for (let index = 0; index < groups; index += 1)
    await controlPlane.admin.apply(musterObject("Group", "team", `${prefix}-${index}`, { parentUid: system.root }));
}

async function untilReady(groups: number): Promise<void> {
  for (;;) {
    const found = await controlPlane.admin.list(kindRef("Group"), { namespace: "team" });
    if (found.length === groups && found.every(isReady)) return;
    await sleep(250);
  }
}

async function run(...args: readonly string[]): Promise<void> {
  const command = new MusterProcess(args);
  await command.ended;
  if (command.exitCode !== 0) throw new Error(command.lastOutput());
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  process.stdout.write(`${((performance.now() - started) / 1000).toFixed(1)} s  ${name}\n`);
}
