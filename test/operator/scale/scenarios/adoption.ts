import { isDeepStrictEqual } from "node:util";
import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { hasMarker } from "#test/support/harness/comparison.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { trafficBetween } from "#test/support/harness/traffic.ts";
import { inTime, latest, loadConcurrency } from "#test/operator/bench/apply.ts";
import { adoptableUnits, type AdoptableUnit } from "../adoptable-units.ts";
import { count, type Outcome, seconds } from "#test/support/bench/outcome.ts";
import { writeFigures } from "../common-figures.ts";
import type { ScaleOptions } from "../options.ts";
import { createTeams, type Team } from "../team.ts";
import type { World } from "#test/operator/bench/world.ts";

const collections = ["groups", "identities", "roleBindings"] as const;

/** Existing resources are adopted in three ways, and given up in two. */
export async function adoption(world: World, { adopted }: ScaleOptions): Promise<Outcome> {
  const { controlPlane, system, observer, counter, run } = world;
  const { admin } = controlPlane;
  const [team] = (await createTeams(system, [{ name: "team", namespaces: 1 }])) as [Team];
  run.progress(`creating ${adopted} resources on the platform`);
  const units = await adoptableUnits(system, team, adopted);
  const objects = units.flatMap((unit) => unit.objects);
  const original = await resourcesOf(world, team);
  await world.startOperator();

  run.progress("adopting");
  const beforeAdoption = await counter.settled();
  const startedAt = performance.now();
  await inParallel(objects, loadConcurrency, (object) => admin.create(object));
  const observed = units.filter(({ adoptedBy }) => adoptedBy === "leaving Observe").flatMap((unit) => unit.objects);
  await inTime(
    "observed objects",
    observer,
    observed.map((object) => observer.ready(object, 1)),
  );
  await patchAll(world, observed, { spec: { policy: { management: "Full" } } });
  const ready = await inTime(
    "adopted objects",
    observer,
    objects.map((object) => observer.when(object, isAdopted)),
  );
  const adoptionSeconds = (latest(ready) - startedAt) / 1000;
  const afterAdoption = await counter.settled();
  const marked = [...(await resourcesOf(world, team)).values()].filter(({ description }) => hasMarker(description));

  run.progress("giving up");
  const observing = units.filter(({ givenUpBy }) => givenUpBy === "Observe").flatMap((unit) => unit.objects);
  const giveUpAt = performance.now();
  await patchAll(world, observing, { spec: { policy: { management: "Observe" } } });
  await inTime(
    "given up by Observe",
    observer,
    observing.map((object) => observer.when(object, isObserved)),
  );
  await inParallel(objects, loadConcurrency, (object) => admin.delete(object));
  const gone = await inTime(
    "given up",
    observer,
    objects.map((object) => observer.gone(object)),
  );
  const giveUpSeconds = (latest(gone) - giveUpAt) / 1000;
  const afterGivingUp = await counter.settled();

  const kept = await resourcesOf(world, team);
  const lost = [...original.keys()].filter((uid) => !kept.has(uid));
  const added = [...kept.keys()].filter((uid) => !original.has(uid));
  const changed = [...original].filter(([uid, resource]) => !isSame(resource, kept.get(uid)));
  const stillMarked = [...kept.values()].filter(({ description }) => hasMarker(description));
  const adopting = trafficBetween(beforeAdoption, afterAdoption);
  const givingUp = trafficBetween(afterAdoption, afterGivingUp);
  const described = original.size - objects.filter(({ kind }) => kind === "RoleBinding").length;
  return {
    case: "adoption",
    setting: `${objects.length} resources that the platform has already (${settingOf(units)}).`,
    figures: [
      count("Resources lost", lost.length, 0),
      count("Resources added", added.length, 0),
      count("Resources changed", changed.length, 0),
      count("Markers missing after adoption", described - marked.length, 0),
      count("Markers left after giving up", stillMarked.length, 0),
      seconds("Seconds until all are adopted", adoptionSeconds),
      count("Calls to the platform per resource adopted", adopting.platformCalls / objects.length),
      ...writeFigures(adopting, "resource adopted", objects.length),
      seconds("Seconds until all are given up", giveUpSeconds),
      count("Calls to the platform per resource given up", givingUp.platformCalls / objects.length),
      ...writeFigures(givingUp, "resource given up", objects.length),
    ],
    details: {
      adopting,
      givingUp,
      lost,
      added,
      changed: changed.slice(0, 10).map(([uid, was]) => [was, kept.get(uid)]),
    },
  };
}

async function patchAll({ controlPlane }: World, objects: readonly KubeObject[], patch: object): Promise<void> {
  await inParallel(objects, loadConcurrency, (object) => controlPlane.admin.patch(object, patch));
}

const isManaged = (object: KubeObject | undefined, as: string): boolean =>
  object?.["status"]?.management === as && object["status"].observedGeneration === object.metadata.generation;

/** A role binding that equals an existing one takes it over, which is recorded as Created. */
const isAdopted = (object: KubeObject | undefined): boolean =>
  isManaged(object, "Adopted") || (object?.kind === "RoleBinding" && isManaged(object, "Created"));
const isObserved = (object: KubeObject | undefined): boolean =>
  isManaged(object, "Observed") && (object?.metadata.finalizers ?? []).length === 0;

/** The resources below the team's group. */
async function resourcesOf({ system }: World, { group }: Team): Promise<Map<string, PlatformResource>> {
  const lists = await Promise.all(collections.map((collection) => system.admin.list(collection, group)));
  const below = lists.flat().filter(({ uid }) => uid !== group);
  return new Map(below.map((resource) => [resource.uid, resource]));
}

/** Whether everything but the time of the last change is the same. */
function isSame(one: PlatformResource, other: PlatformResource | undefined): boolean {
  return isDeepStrictEqual({ ...one, updateTime: undefined }, { ...other, updateTime: undefined });
}

function settingOf(units: readonly AdoptableUnit[]): string {
  const number = (matches: (unit: AdoptableUnit) => boolean) =>
    units.filter(matches).flatMap((unit) => unit.objects).length;
  const ways = (["spec.uid", "name", "leaving Observe"] as const).map(
    (way) => `${number(({ adoptedBy }) => adoptedBy === way)} by ${way}`,
  );
  const observe = number(({ givenUpBy }) => givenUpBy === "Observe");
  return `adopted ${ways.join(", ")}; ${observe} given up by management Observe and the others by deletion`;
}
