import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "#test/operator/bench/tree.ts";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { isUnready } from "#test/support/harness/muster-objects.ts";
import { createAll, inTime, latest, loadConcurrency } from "#test/operator/bench/apply.ts";
import { count, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import type { ScaleOptions } from "../options.ts";
import { killPlatform } from "#test/operator/bench/kill-platform.ts";
import { createTeams, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";
import type { Call, FaultProxy } from "#test/support/harness/fault-proxy.ts";

/** The operator's default. */
const workers = 16;
/** Some resyncs begin during the outage. */
const resync = "60s";
/** How long before its end the platform is started again. */
const restartSeconds = 5;

/** The platform is killed, objects are created and edited meanwhile, and it comes back. */
export async function outage(
  world: World,
  proxy: FaultProxy,
  { resting, waiting, outage: lasting }: ScaleOptions,
): Promise<Outcome> {
  const { controlPlane, system, observer, run } = world;
  const [team] = (await createTeams(system, [{ name: "team", namespaces: 2 }])) as [Team];
  const [restNamespace = "", waitNamespace = ""] = team.namespaces;
  await world.startOperator(["--resync", resync, "--workers", String(workers)]);
  run.progress(`creating ${resting} objects`);
  const atRest = treeOf(resting, restNamespace, team.group, "resting-");
  await createAll(world, atRest);

  run.progress(`${lasting} s of outage`);
  const calls = new ForwardedCalls(proxy);
  calls.areCut = true;
  const startPlatform = killPlatform(system, run.own);
  const endsAt = performance.now() + lasting * 1000;
  const created = treeOf(waiting, waitNamespace, team.group, "waiting-");
  await inParallel(created, loadConcurrency, (object) => controlPlane.admin.create(object));
  const edited = atRest.filter(({ kind }) => kind !== "RoleBinding").slice(0, Math.ceil(waiting / 4));
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
  const platform = await startPlatform(["--data", system.platformDataFile, "--base-url", proxy.url]);
  await sleep(Math.max(endsAt - performance.now(), 0));

  run.progress("healing");
  const during = [...calls.all];
  calls.areCut = false;
  const endedAt = performance.now();
  try {
    const healed = await inTime("objects that waited", observer, awaited);
    const times = healed.map((at) => (at - endedAt) / 1000);
    const left = (await controlPlane.admin.list({ apiVersion: "iam.muster.dev/v1beta1", kind: "Group" })).length;
    return {
      case: "outage",
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

/** The calls that reach a proxy, and how many of them it forwards at the same time. */
class ForwardedCalls {
  readonly all: Call[] = [];
  mostInFlight = 0;
  /** No call is forwarded while this is true. */
  areCut = false;
  #inFlight = 0;

  constructor(proxy: FaultProxy) {
    proxy.options = {
      faultFor: (call) => {
        this.all.push(call);
        if (this.areCut) return { is: "not sent" };
        this.#inFlight += 1;
        this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
        return undefined;
      },
      beforeResponding: () => {
        this.#inFlight -= 1;
      },
    };
  }
}

function byMethod(calls: readonly Call[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, collection } of calls) {
    const name = `${method} ${collection}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
