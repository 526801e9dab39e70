import { setTimeout as sleep } from "node:timers/promises";
import { abandonAnnotation } from "#src/api/annotations.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { Random } from "#test/platform/fuzz/random.ts";
import type { PlatformCollection, PlatformResource } from "#test/support/harness/platform-admin.ts";
import { leakedSecrets } from "#test/support/harness/secrets.ts";
import { conditionOf } from "#test/support/harness/muster-objects.ts";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import { crashesOf } from "./crashes.ts";
import { disturb, disturbances, recoveryMs } from "./disturbances.ts";
import { drawFault } from "./faults.ts";
import { Evidence } from "./evidence.ts";
import { Journal } from "./journal.ts";
import type { Findings } from "./findings.ts";
import { names } from "./made-by-hand.ts";
import { carries, check } from "./model.ts";
import type { CampaignOptions } from "./options.ts";
import { type Picture, takePicture } from "./picture.ts";
import { Work } from "./work.ts";
import {
  leaseMs,
  managedCollections,
  maxLateMs,
  permittedRoles,
  settleMs,
  type Settings,
  teams,
  World,
} from "./world.ts";

export interface RoundResult {
  readonly seed: number;
  readonly counts: Journal["counts"];
  readonly done: Journal["done"];
  readonly faults: number;
  readonly objects: number;
  readonly violations: readonly string[];
  readonly reported: readonly string[];
  /** How many were compared at rest, before the deletion. */
  readonly compared: Findings["compared"];
  /** The folder with what explains the violations. */
  readonly evidence: string | undefined;
  readonly seconds: number;
}

/** An operator leads after this time, also on a machine that starts several rounds. */
const startMs = 180_000;
const convergenceMs = 120_000;
/** How long operators work undisturbed after they work again: without such pauses, faults would find no work to disturb. */
const calmMs = 1_500;
/** How many resyncs nothing may change for at the end. */
const restingResyncs = 3.5;
const maxRests = 4;

/** Random work under faults; then the check at rest, the deletion of everything, and the check again. */
export async function runRound(
  controlPlane: ControlPlane,
  seed: number,
  options: CampaignOptions,
  print: (line: string) => void,
): Promise<RoundResult> {
  const startedAt = performance.now();
  const log = (line: string) => print(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${line}`);
  const journal = new Journal();
  const violations: string[] = [];
  const reported: string[] = [];
  const settings = settingsOf(seed);
  const evidence = new Evidence(`campaign-${seed}`);
  const world = await World.start(controlPlane, `c${seed}-${Date.now().toString(36)}`, settings);
  try {
    await world.operators.led(startMs);
    const networkRandom = new Random(seed, "network");
    const afterResponding = journal.noteResponse.bind(journal);
    // An invite may be lost that an operator created just before, unless it got to write the code.
    world.operators.onEnd = () => journal.noteDisturbance(0, Date.now() - leaseMs);
    world.proxy.options = {
      afterResponding,
      faultFor: (call) => {
        const fault = drawFault(call, networkRandom, options.faults);
        const { method, collection } = call;
        if (method !== "GET" && collection !== "sts") journal.writes.push({ method, collection, at: Date.now() });
        if (method === "POST" && collection !== "sts") journal.counts.creations += 1;
        if (fault !== undefined && collection === "groupInvites") journal.noteDisturbance(maxLateMs);
        return fault;
      },
    };
    await work(world, journal, seed, options, log);
    if (options.verbose) log("the work is done");
    world.proxy.options = { afterResponding };
    await world.proxy.settled();
    for (const team of teams) await world.applyTenant(team);
    const settled = await converge(world, journal, async (picture) => {
      await removeReleased(world, journal, picture);
      await followResources(world, picture);
      await abandonForbidden(world, journal, picture);
      return await world.recreateNamespaces();
    });
    if (options.verbose) log("everything has settled");
    const { objects } = await takePicture(world);
    violations.push(...settled.violations, ...(await changesAtRest(world, journal)));
    log(`at rest: ${objects.length} objects, ${violations.length} violations`);
    if (violations.length > 0) await evidence.save(world, "at-rest", violations);
    for (const object of new Random(seed, "end").chance(0.5) ? objects : objects.toReversed())
      await world.kube.delete(object);
    const end = await converge(world, journal, async (picture) => {
      await removeReleased(world, journal, picture);
      await followResources(world, picture);
      await abandonForbidden(world, journal, picture);
      return picture.objects.length === 0;
    });
    violations.push(...end.violations.map((text) => `after the deletion: ${text}`));
    reported.push(...new Set([...settled.reported, ...end.reported]));
    const crashes = crashesOf(world.system.operators);
    const leaks = await leakedSecrets(world.system, world.proxy.tokens);
    violations.push(
      ...journal.violations,
      ...crashes,
      ...leaks.map((where) => `N: a token, a code or a client secret is in ${where}`),
    );
    const last = [...end.violations, ...journal.violations, ...crashes, ...leaks];
    if (last.length > 0) await evidence.save(world, "after-the-deletion", last);
    return {
      seed,
      counts: journal.counts,
      done: journal.done,
      faults: world.proxy.injected.length,
      objects: objects.length,
      violations,
      reported,
      compared: settled.compared,
      evidence: evidence.folder,
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await world.stop();
  }
}

/** Half of the rounds have the policies, and half of those, as of the others, a Tenant that lets nothing be left. */
function settingsOf(seed: number): Settings {
  const random = new Random(seed, "settings");
  return {
    policies: random.chance(0.5),
    allowOrphan: random.chance(0.5),
    resyncMs: random.pick([2_000, 5_000]),
  };
}

async function work(
  world: World,
  journal: Journal,
  seed: number,
  options: CampaignOptions,
  log: (line: string) => void,
): Promise<void> {
  const { counts } = journal;
  const people = new Work(world, journal, new Random(seed, "work"), options.operations);
  const random = new Random(seed, "faults");
  const background: Promise<void>[] = [];
  await people.begin();
  for (let number = 0; number < options.operations; number += 1) {
    await sleep(
      random.weighted([
        [5, 0],
        [3, random.int(0, 200)],
        [2, random.int(200, 2_000)],
      ]),
    );
    try {
      await world.recreateNamespaces();
      const name = await people.next();
      counts.operations += 1;
      journal.done.set(name, (journal.done.get(name) ?? 0) + 1);
      if (options.verbose) log(`${number} ${name}`);
    } catch (error) {
      counts.refused += 1;
      if (options.verbose) log(`${number} refused: ${(error as Error).message}`);
    }
    if (!random.chance(0.12)) continue;
    const disturbance = random.pick(disturbances);
    if (options.verbose) log(`${number} ${disturbance}`);
    const ms = random.int(100, 1_500);
    await disturb(world, journal, disturbance, { ms, background });
    if (random.chance(0.7)) await sleep(recoveryMs(disturbance, ms) + calmMs);
  }
  await Promise.all(background);
}

/** Waits until the check finds nothing and the picture is as wanted. @returns the findings, after the timeout too */
async function converge(
  world: World,
  journal: Journal,
  wanted: (picture: Picture) => Promise<boolean>,
): Promise<Findings> {
  const deadline = performance.now() + convergenceMs;
  for (;;) {
    const picture = await takePicture(world);
    const findings = check(world, journal, picture);
    const isWanted = await wanted(picture);
    if (findings.violations.length === 0 && isWanted) return findings;
    if (performance.now() > deadline) {
      const left = isWanted
        ? []
        : picture.objects.map(
            ({ kind, metadata, status }) => `C: ${kind} ${metadata.name} is left: ${JSON.stringify(status)}`,
          );
      return { ...findings, violations: [...findings.violations, ...left] };
    }
    await sleep(1_000);
  }
}

/**
 * What objects released stays in their groups, which cannot be deleted before a person removes it, and so do invites whose
 * code nobody has, which also keep the roles that they name, and an association that somebody made in place of an object's.
 */
async function removeReleased(world: World, journal: Journal, { objects, resources }: Picture): Promise<void> {
  const groups = objects.filter(({ kind, status }) => kind === "Group" && status?.uid !== undefined);
  const below = (uid: string, all: readonly KubeObject[]) => all.some(({ status }) => uid.startsWith(`${status.uid}/`));
  // A group may contain others, and a role be used by others, which go first.
  const remove = (collection: PlatformCollection, uid: string) =>
    world.platform.delete(collection, uid).catch(() => undefined);
  for (const collection of managedCollections)
    for (const { uid, name, description } of resources[collection]) {
      // An account association has the uid of its group.
      const place = collection === "accountAssociations" ? `${uid}/` : uid;
      // An object that was orphaned may have the name of what no object may take over, which goes below.
      if (journal.mustStay(collection, uid)) continue;
      if (journal.mayBeLeft(name) && !description.includes("[muster:") && below(place, groups))
        await remove(collection, uid);
    }
  const leaving = groups.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const recorded = new Set(objects.map(({ status }) => status?.uid));
  const leavingRoles = objects.filter(
    ({ kind, metadata }) => kind === "Role" && metadata.deletionTimestamp !== undefined,
  );
  for (const { uid, role } of resources.groupInvites) {
    const isInTheWay = below(uid, leaving) || leavingRoles.some(({ status }) => status?.uid === role?.uid);
    if (!recorded.has(uid) && isInTheWay) await remove("groupInvites", uid);
  }
  for (const handMade of journal.handMade) {
    const { collection, resource } = handMade;
    // First every object must be gone that names it, to show that none deletes it.
    const isLeft = below(resource.uid, leaving) && !objects.some((object) => names(object, handMade));
    if (!isLeft) continue;
    await world.platform.delete(collection, resource.uid).then(
      () => journal.forgetHandMade(handMade),
      () => undefined,
    );
  }
  for (const { status } of leaving) {
    const handMade = journal.handMadeWith("accountAssociations", status.uid);
    // First every object that could delete it must be gone, to show that none does.
    if (handMade === undefined || objects.some((one) => mayDeleteAssociation(one, status.uid))) continue;
    journal.forgetHandMade(handMade);
    await remove("accountAssociations", status.uid);
  }
}

function mayDeleteAssociation({ kind, metadata, status }: KubeObject, uid: string): boolean {
  return kind === "AccountAssociation" && (metadata.deletionTimestamp !== undefined || status?.uid === uid);
}

/**
 * An object whose namespace moved after its status was lost, or before it was written, is denied the deletion of what it has
 * in the groups of the other Tenant. An administrator moves the namespace back.
 */
async function followResources(world: World, { objects, resources, teams: assigned }: Picture): Promise<void> {
  const all = managedCollections.flatMap((collection) => resources[collection]);
  for (const object of objects) {
    const { namespace = "" } = object.metadata;
    if (object.metadata.deletionTimestamp === undefined) continue;
    if (conditionOf(object, "Ready")?.reason !== "TenantDenied") continue;
    const uid: string | undefined =
      object["status"]?.uid ?? all.find((one) => carries(one, object))?.uid ?? groupOf(object, objects);
    const team = teams.find((one) => uid?.startsWith(`${world.fixed.groups[one]}/`));
    if (team !== undefined && assigned.get(namespace) !== team) await world.assign(namespace, team);
    else if (wantsDeniedRole(object)) await abandon(world, object);
  }
}

/**
 * An invite that outlived its namespace's Secrets, because the API server started while the namespace was deleted, may not read
 * what says whether it created something. An administrator does what its condition says.
 */
async function abandonForbidden(world: World, journal: Journal, { objects }: Picture): Promise<void> {
  for (const object of objects) {
    const { kind, metadata, spec } = object;
    if (kind !== "GroupInvite" || metadata.deletionTimestamp === undefined) continue;
    if (conditionOf(object, "Ready")?.reason !== "KubernetesForbidden") continue;
    if (!journal.isPermitted(metadata.namespace, spec.secretRef.name)) await abandon(world, object);
  }
}

/** Abandons an object that may be gone since it was seen. */
async function abandon(world: World, object: KubeObject): Promise<void> {
  const annotations = { [abandonAnnotation]: "true" };
  await world.kube.patch(object, { metadata: { annotations } }).catch((error: unknown) => {
    if (!(error instanceof KubeError && error.code === 404)) throw error;
  });
}

/**
 * Whether no Tenant permits the role of a role binding. If a person granted the same, an operator that did not see the object
 * from its beginning cannot know who did, and neither deletes the grant nor forgets it: an administrator abandons it.
 */
function wantsDeniedRole({ kind, spec }: KubeObject): boolean {
  return kind === "RoleBinding" && spec.roleRef?.name !== undefined && !permittedRoles.includes(spec.roleRef.name);
}

/** The group in which the role binding or the invite of an object is: nothing in it shows whose it is. */
function groupOf({ kind, metadata, spec }: KubeObject, objects: readonly KubeObject[]): string | undefined {
  if ((kind !== "RoleBinding" && kind !== "GroupInvite") || metadata.deletionTimestamp === undefined) return undefined;
  const group = objects.find(
    (one) =>
      one.kind === "Group" &&
      one.metadata.namespace === metadata.namespace &&
      one.metadata.name === spec.groupRef?.name,
  );
  return spec.groupUid === undefined ? group?.["status"]?.uid : `${spec.groupUid}/`;
}

/** The resources without the time at which an identity was last assumed: tokens are renewed at rest, too. */
function contentOf(resources: readonly PlatformResource[]): string {
  return JSON.stringify(resources, (field, value: unknown) => (field === "lastSeenTime" ? undefined : value));
}

/**
 * What is written although nothing happens. An operator that begins to lead writes what it finds: if another one leads at the end,
 * as on a machine on which the Lease could not be renewed in time, that was no rest. Neither was it one if something was written
 * while the machine was so busy that responses were late, which statuses show.
 */
async function changesAtRest(world: World, journal: Journal): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    // What is as it shall be may be so without a leader. One that has just begun looks at everything once it may.
    await world.operators.led(startMs);
    const { leader } = world.operators;
    const { slow } = journal.counts;
    const changed = await changesWhileResting(world);
    const isRest = world.operators.leader === leader && (changed.length === 0 || journal.counts.slow === slow);
    if (isRest || attempt === maxRests) return changed;
  }
}

async function changesWhileResting(world: World): Promise<string[]> {
  const { resyncMs } = world.settings;
  // Statuses of what waits are written late, and a first resync may correct a request that was late. A leader that has just
  // begun removes the finalizer of what was never created after the settle time, with the next list.
  await sleep(settleMs + 2 * resyncMs);
  const before = await takePicture(world);
  await sleep(restingResyncs * resyncMs);
  const after = await takePicture(world);
  const changed: string[] = [];
  for (const object of after.objects) {
    const earlier = before.objects.find(({ metadata }) => metadata.uid === object.metadata.uid);
    if (earlier?.metadata.resourceVersion !== object.metadata.resourceVersion)
      changed.push(
        `C: ${object.kind} ${object.metadata.name} was written at rest: ${JSON.stringify(earlier?.["status"])} → ${JSON.stringify(object["status"])}`,
      );
  }
  for (const collection of managedCollections)
    if (contentOf(before.resources[collection]) !== contentOf(after.resources[collection]))
      changed.push(`C: ${collection} were written at rest`);
  return changed;
}
