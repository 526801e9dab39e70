import { isDeepStrictEqual } from "node:util";
import { type AccessDifference, accessDifference } from "#src/access/access-difference.ts";
import { accessModel, changedModel } from "#src/access/access-model.ts";
import { holds, nameOf, randomHolder } from "#src/commands/access/compare-with-platform.testing.ts";
import { inProcessApi } from "#src/commands/access/in-process-api.testing.ts";
import { readAccessState } from "#src/commands/access/read-state.ts";
import type { PlatformWrite } from "#src/plan/overlay-platform.ts";
import { type Caller, notDownscoped } from "#src/platform/authorization/caller.ts";
import { allCapabilities, type Capability } from "#src/platform/authorization/capability.ts";
import { securityStampOf } from "#src/platform/authorization/security-stamp.ts";
import { isWithin } from "#src/platform/contract/uid.ts";
import { InProcess } from "#src/platform/tests/access-model/in-process.testing.ts";
import { Random } from "#src/platform/tests/access-model/random.testing.ts";
import { now } from "#src/platform/tests/access-model/settings.testing.ts";
import { randomWorld } from "#src/platform/tests/access-model/world.testing.ts";
import { RandomWriter } from "./random-writes.testing.ts";
import { stateAfter, unlistedResources } from "./state-after.ts";

/** Other seeds make other changes; a failure reports its seed. */
const seed = Number(process.env["MUSTER_ACCESS_SEED"] ?? "1");
const questionsEach = 150;
const askersEach = 2;

interface Question {
  readonly identity: string;
  readonly capability: Capability;
  readonly group: string;
}

/** A change of the writes, as a defect would make it. */
export type WriteDefect = (writes: readonly PlatformWrite[]) => readonly PlatformWrite[];

/**
 * Makes random changes, and compares their access difference with what the platform allows before
 * and after, until one does not agree.
 */
export async function compareDifferences({
  changes,
  defect = (writes) => writes,
}: {
  /** The number of each. */
  readonly changes: readonly number[];
  readonly defect?: WriteDefect;
}) {
  const wrong: unknown[] = [];
  const seen = { gains: 0, loses: 0, nothing: 0, uncertain: 0, assumptions: 0 };
  for (const change of changes) {
    if (wrong.length > 0) break;
    const random = Random.ofWorld(seed, change);
    const world = randomWorld(random);
    const [before, after] = [await InProcess.of(world), await InProcess.of(world)];
    const exchange = await before.exchange();
    const askers: Caller[] = [{ kind: "admin" }];
    while (askers.length < askersEach) {
      const caller = await exchange.callerOf(randomHolder(random, world));
      if (!("code" in caller)) askers.push(caller);
    }
    const identities = world.identities.map(({ uid }) => uid);
    const expired = new Set(world.identities.flatMap(({ uid, ...one }) => (one.expired ? [uid] : [])));
    const bindings = [...world.roleBindings];
    const { changedIdentities, placeholders, writes } = await new RandomWriter(random, world, { before, after }).make(
      1 + random.below(6),
    );
    const everybody = [...new Set([...identities, ...world.identities.map(({ uid }) => uid)])];
    const everywhere = [...bindings, ...world.roleBindings];
    const questions = Array.from({ length: questionsEach }, (): Question => {
      const { identity, parent, role } = random.pick(everywhere);
      const group = parent !== undefined && random.oneIn(2) ? parent : random.pick(world.groups);
      return random.oneIn(4)
        ? { identity: random.pick(everybody), capability: random.pick(allCapabilities), group: group.uid }
        : { identity: identity.uid, capability: random.pick(role.capabilities), group: group.uid };
    });
    const truth = await Promise.all(
      questions.map(async (question) => {
        const [had, has] = await Promise.all([isAllowed(before, question), isAllowed(after, question)]);
        return { question, expected: had === has ? "nothing" : has ? "gains" : "loses" } as const;
      }),
    );
    for (const asker of askers) {
      const isAdmin = asker.kind === "admin";
      const { canRead, difference, isComplete } = await differenceFor(asker, before, defect(writes));
      for (const { expected, question } of truth) {
        const planned = (uid: string) => placeholders.get(uid) ?? uid;
        const { identity, group, capability } = question;
        const rows = rowsOf(difference, planned(identity), nameOf(capability), planned(group));
        const [row] = rows;
        const answer = row?.change ?? "nothing";
        // Who cannot read the identity cannot know that its keys have expired: the role bindings decide.
        const isExpiryHidden = expired.has(identity) && !canRead(identity);
        const isUncertain = !isAdmin && (isExpiryHidden || (row === undefined ? !isComplete : row.unread.length > 0));
        if (isUncertain) seen.uncertain += 1;
        else seen[answer] += 1;
        if (rows.length > 1 || (answer !== expected && !isUncertain))
          wrong.push({ seed, change, question, capability: nameOf(capability), rows, expected, isAdmin });
      }
      if (!isAdmin) continue;
      const assumed = difference.assumptions.map((one) => one.identity.uid).toSorted();
      seen.assumptions += assumed.length;
      if (!isComplete || !isDeepStrictEqual(assumed, changedIdentities))
        wrong.push({ seed, change, assumed, changedIdentities });
    }
    await exchange.close();
    await Promise.all([before.close(), after.close()]);
  }
  return { wrong, seen };
}

/** The difference that a person sees who asks before the writes; complete if nothing is unknown. */
async function differenceFor(asker: Caller, platform: InProcess, writes: readonly PlatformWrite[]) {
  const seesEverything = asker.kind === "admin";
  const claims = { scopes: asker.kind === "admin" ? undefined : asker.downscoping.groups };
  const reader = { api: inProcessApi(platform, asker), seesEverything, claims };
  const state = await readAccessState(reader, new AbortController().signal);
  const model = accessModel(state);
  const difference = accessDifference(model, changedModel(model, stateAfter(state, writes)), now);
  const { changes, listedBelow, unread } = difference;
  const isEverythingRead =
    listedBelow === undefined && [unread, ...changes.map((one) => one.unread)].flat().length === 0;
  const canRead = (uid: string) => model.identities.has(uid);
  return { canRead, difference, isComplete: isEverythingRead && unlistedResources(state, writes).length === 0 };
}

/** Whether the platform allows it to a token that the identity has just got. */
async function isAllowed(platform: InProcess, { capability, group, identity }: Question): Promise<boolean> {
  const { value } = await platform.database.read((reader) => securityStampOf(reader, identity));
  const stamp = { value, key: undefined };
  const caller: Caller = { kind: "identity", uid: identity, stamp, downscoping: notDownscoped, actor: undefined };
  return holds(platform, caller, capability, group);
}

function rowsOf({ changes }: AccessDifference, identity: string, capability: string, at: string) {
  return changes.filter(
    ({ capabilities, except, group, identity: { uid } }) =>
      uid === identity &&
      capabilities?.has(capability) &&
      isWithin(group, at) &&
      !except.some((below) => isWithin(below, at)),
  );
}
