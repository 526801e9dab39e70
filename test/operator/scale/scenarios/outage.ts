import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "#test/operator/bench/tree.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { isUnready } from "#test/support/harness/muster-objects.ts";
import { createAll, inTime, latest, loadConcurrency } from "../apply.ts";
import { count, type Outcome, seconds } from "../figure.ts";
import type { ScaleOptions } from "../options.ts";
import { ForwardedCalls, killPlatform } from "../platform-outage.ts";
import { createTeams, type Team } from "../team.ts";
import type { ProxiedWorld } from "../world.ts";

/** The operator's default. */
const workers = 16;
/** Some resyncs begin during the outage. */
const resync = "60s";
/** How long before its end the platform is started again. */
const restartSeconds = 5;

/** The platform is killed, objects are created and edited meanwhile, and it comes back. */
export async function outage(
  world: ProxiedWorld,
  { resting, waiting, outage: lasting }: ScaleOptions,
): Promise<Outcome> {
  const { controlPlane, system, observer, progress, proxy, program } = world;
  const [team] = (await createTeams(system, [{ name: "team", namespaces: 2 }])) as [Team];
  const [restNamespace = "", waitNamespace = ""] = team.namespaces;
  await world.startOperator(["--resync", resync, "--workers", String(workers)]);
  progress(`creating ${resting} objects`);
  const atRest = treeOf(resting, restNamespace, team.group, "resting-");
  await createAll(world, atRest);

  progress(`${lasting} s of outage`);
  const calls = new ForwardedCalls(proxy);
  calls.areCut = true;
  const startPlatform = await killPlatform(system, proxy.url, program);
  const endsAt = performance.now() + lasting * 1000;
  const created = treeOf(waiting, waitNamespace, team.group, "waiting-");
  await inParallel(created, loadConcurrency, (object) => controlPlane.admin.create(object));
  const edited = atRest.filter(({ kind }) => kind !== "RoleBinding").slice(0, waiting);
  const awaited: Promise<number>[] = created.map((object) => observer.ready(object, 1));
  await inParallel(edited, loadConcurrency, async (object) => {
    const { metadata } = await controlPlane.admin.patch(object, { spec: { description: "Edited during the outage" } });
    awaited.push(observer.ready(object, metadata.generation ?? 0));
  });
  const waitingObjects = created.filter(({ kind, spec }) => kind === "Group" && spec.parentUid !== undefined);
  await inTime(
    "waiting objects",
    observer,
    waitingObjects.map((object) => observer.when(object, isUnready("PlatformUnavailable"))),
  );
  const untilAllWait = calls.all.length;
  await sleep(Math.max(endsAt - performance.now() - restartSeconds * 1000, 0));
  const platform = await startPlatform();
  await sleep(Math.max(endsAt - performance.now(), 0));

  progress("healing");
  const during = [...calls.all];
  calls.areCut = false;
  const endedAt = performance.now();
  try {
    const healed = await inTime("objects that waited", observer, awaited);
    const times = healed.map((at) => (at - endedAt) / 1000);
    const left = (await controlPlane.admin.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Group" })).length;
    return {
      scenario: "outage",
      setting: `${resting} objects at rest, ${created.length} created and ${edited.length} edited during ${lasting} s without the platform.`,
      figures: [
        count("Calls until all objects wait", untilAllWait),
        count("Calls during the outage", during.length),
        seconds("From the end of the outage until a waiting object is Ready, p50", percentile(times, 0.5), 5),
        seconds("… until all are Ready", latest(times), 5),
        count("Most calls in flight after the outage", calls.mostInFlight, workers),
        count("Calls from the end until all are Ready", calls.all.length - during.length),
      ],
      details: { during: byMethod(during), after: byMethod(calls.all.slice(during.length)), groups: left },
    };
  } finally {
    await platform.kill();
  }
}

function byMethod(calls: readonly { readonly method: string; readonly collection: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, collection } of calls) {
    const name = `${method} ${collection}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
