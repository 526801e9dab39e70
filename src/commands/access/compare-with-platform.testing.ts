import { expect } from "vitest";
import {
  accessModel,
  type AccessModel,
  listsBindingsOf,
  noLimits,
  type TokenLimits,
} from "#src/access/access-model.ts";
import type { AccessState } from "#src/access/access-state.ts";
import { explain } from "#src/access/explain.ts";
import { whoCan } from "#src/access/who-can.ts";
import { type Caller, notDownscoped } from "#src/platform/authorization/caller.ts";
import { allCapabilities, Capability } from "#src/platform/authorization/capability.ts";
import { accessOf } from "#src/platform/authorization/grants.ts";
import { initialStamp } from "#src/platform/authorization/security-stamp.ts";
import { ApiError } from "#src/platform/errors/api-error.ts";
import { CapabilitySchema } from "#src/platform/gen/muster/capabilities/capabilities_pb.ts";
import { InProcess } from "#src/platform/tests/access-model/in-process.testing.ts";
import { Random } from "#src/platform/tests/access-model/random.testing.ts";
import { now } from "#src/platform/tests/access-model/settings.testing.ts";
import {
  type Place,
  randomPrincipal,
  randomWorld,
  type TokenHolder,
  type World,
} from "#src/platform/tests/access-model/world.testing.ts";
import { inProcessApi } from "./in-process-api.testing.ts";
import { readAccessState } from "./read-state.ts";

/** Other seeds ask other questions; a failure reports its seed. */
const seed = Number(process.env["MUSTER_ACCESS_SEED"] ?? "1");
const questionsEach = 240;
const askersEach = 4;

export const nameOf = (capability: Capability) => CapabilitySchema.value[capability]?.name ?? "";
/** What a call with the capability alone creates. */
const creates = new Map([
  [Capability.CAP_IAM_GROUPS_CREATE, "groups"],
  [Capability.CAP_IAM_IDENTITY_CREATE, "identities"],
  [Capability.CAP_REPO_CREATE, "repos"],
] as const);

interface Question {
  readonly holder: TokenHolder;
  readonly caller: Caller;
  readonly limits: TokenLimits;
  readonly capability: Capability;
  /** A group, or a resource in one. */
  readonly place: Place;
}

/** A caller with an identity's token from before its keys expired, or from an exchange if the token is limited. */
function fullCaller({ uid }: Place): Caller {
  const stamp = { value: initialStamp.value, key: undefined };
  return { kind: "identity", uid, stamp, downscoping: notDownscoped, actor: undefined };
}

/** What the token of each further downscope is limited to: the last of each. */
function limitsOf({ downscopes }: TokenHolder): TokenLimits {
  let limits = noLimits;
  for (const { capabilities, scopes } of downscopes)
    limits = {
      capabilities: capabilities === undefined ? limits.capabilities : new Set(capabilities.map(nameOf)),
      groups: scopes === undefined ? limits.groups : scopes.map(({ uid }) => uid),
    };
  return limits;
}

/** Whether the platform authorizes the caller, and whether it then does what needs the capability. */
async function allowed(
  platform: InProcess,
  { caller, capability, place }: Question,
  groups: readonly Place[],
): Promise<boolean> {
  const can = await holds(platform, caller, capability, place.uid);
  const kind = creates.get(capability as never);
  if (kind === undefined || !groups.includes(place)) return can;
  const { code } = await platform.dryRun(caller, { verb: "create", kind, parent: place, content: {} });
  expect(code === 0, `the call agrees with the check: ${code}`).toBe(can);
  return can;
}

/** Whether the platform authorizes the caller. */
export function holds(platform: InProcess, caller: Caller, capability: Capability, uid: string): Promise<boolean> {
  return platform.database
    .read(async (reader) => (await accessOf(reader, caller, now)).can(capability, uid))
    .catch((error: unknown) => {
      if (error instanceof ApiError) return false;
      throw error;
    });
}

interface Disagreement {
  readonly world: number;
  readonly question: unknown;
  readonly answer: string;
  readonly allowed: boolean;
}

/** A change of what was read, as a defect would make it. */
export type Defect = (state: AccessState) => AccessState;

/** Asks random questions about random worlds, and compares the answers with what the platform allows, until a world has one that does not agree. */
export async function compareWithPlatform({
  worlds,
  defect = (state) => state,
}: {
  /** The number of each. */
  readonly worlds: readonly number[];
  readonly defect?: Defect;
}) {
  const wrong: Disagreement[] = [];
  const seen = { asAdmin: 0, asOthers: 0, limited: 0, resources: 0, yes: 0, no: 0, unknown: 0, holders: 0, listed: 0 };
  for (const world of worlds) {
    if (wrong.length > 0) break;
    const random = Random.ofWorld(seed, world);
    const generated = randomWorld(random);
    const platform = await InProcess.of(generated);
    const exchange = await platform.exchange();
    const read = async (caller: Caller): Promise<AccessModel> => {
      const scopes = caller.kind === "admin" ? undefined : caller.downscoping.groups;
      const reader = {
        api: inProcessApi(platform, caller),
        seesEverything: caller.kind === "admin",
        claims: { scopes },
      };
      return accessModel(defect(await readAccessState(reader, new AbortController().signal)));
    };
    const questions = await Promise.all(
      Array.from({ length: questionsEach }, async (): Promise<Question | undefined> => {
        const { place, holder } = randomSubject(random, generated);
        const capability = random.oneIn(3) ? random.pick([...creates.keys()]) : random.pick(allCapabilities);
        const limits = limitsOf(holder);
        const caller = limits === noLimits ? fullCaller(holder.identity) : await exchange.callerOf(holder);
        return "code" in caller ? undefined : { holder, caller, limits, capability, place };
      }),
    );
    const asked = questions.filter((question) => question !== undefined);
    const truth = new Map(
      await Promise.all(asked.map(async (one) => [one, await allowed(platform, one, generated.groups)] as const)),
    );
    const askers: Caller[] = [{ kind: "admin" }];
    while (askers.length < askersEach) {
      const asker = randomHolder(random, generated);
      const caller = await exchange.callerOf(asker);
      if (!("code" in caller)) askers.push(caller);
    }
    for (const asker of askers) {
      const model = await read(asker);
      for (const { uid } of generated.groups) {
        const can = await holds(platform, asker, Capability.CAP_IAM_ROLE_BINDINGS_LIST, uid);
        const lists = listsBindingsOf(model, uid);
        if (can && lists) seen.listed += 1;
        // A token that is limited to groups may have nothing to show there.
        const isLimited = asker.kind === "identity" && asker.downscoping.groups !== undefined;
        if (lists !== can && (lists || !isLimited))
          wrong.push({ world, question: { lists: uid }, answer: String(lists), allowed: can });
      }
      for (const question of asked) {
        const { capability, place, holder, limits } = question;
        const identity = holder.identity.uid;
        const answer = explain(model, { identity, capability: nameOf(capability), at: place.uid, limits }, now);
        const can = truth.get(question) ?? false;
        seen[asker.kind === "admin" ? "asAdmin" : "asOthers"] += 1;
        seen[answer.decision] += 1;
        if (limits !== noLimits) seen.limited += 1;
        if (!generated.groups.includes(place)) seen.resources += 1;
        const expired = generated.identities.find(({ uid }) => uid === identity)?.expired ?? false;
        // Who cannot read the identity cannot know that its keys have expired: the role bindings decide.
        const agrees =
          answer.decision === "unknown"
            ? asker.kind !== "admin"
            : (answer.decision === "yes") === can ||
              (answer.decision === "yes" && expired && !model.identities.has(identity));
        if (!agrees) wrong.push({ world, question: shown(question), answer: answer.decision, allowed: can });
        if (limits !== noLimits) continue;
        const { holders, possible, unread } = whoCan(model, nameOf(capability), place.uid, now);
        const isHolder = holders.some((one) => one.identity.uid === identity && one.expired === undefined);
        if (isHolder) seen.holders += 1;
        const isPossible = possible.some((one) => one.identity.uid === identity) || unread.length > 0;
        if (isHolder !== (answer.decision === "yes") || (can && !isHolder && !isPossible))
          wrong.push({ world, question: shown(question), answer: `who-can: ${isHolder}`, allowed: can });
      }
    }
    await exchange.close();
    await platform.close();
  }
  return { wrong, seen };
}

/** Who is asked about, and where: half of the time, where the identity has a role binding. */
function randomSubject(random: Random, world: World): { readonly holder: TokenHolder; readonly place: Place } {
  const holder = randomHolder(random, world);
  const binding = random.pick(world.roleBindings);
  const { advisories, groups, identities, repos, roles, tags } = world;
  if (random.oneIn(4))
    return { holder, place: random.pick([...identities, ...repos, ...roles, ...tags, ...advisories]) };
  return random.oneIn(2)
    ? { holder, place: random.pick(groups) }
    : { holder: { ...holder, identity: binding.identity }, place: binding.parent ?? random.pick(groups) };
}

/** An identity with a token, sometimes a limited one: to capabilities, to groups, or to a single resource. */
export function randomHolder(random: Random, world: World): TokenHolder {
  for (;;) {
    const principal = randomPrincipal(random, world);
    if (principal.kind !== "identity") continue;
    const { identities, repos, roleBindings } = world;
    if (random.oneIn(4))
      return {
        ...principal,
        downscopes: [{ scopes: [random.pick<Place>([...identities, ...repos, ...roleBindings])] }],
      };
    return random.oneIn(2) ? principal : { ...principal, downscopes: [] };
  }
}

function shown({ capability, place, holder, limits }: Question): unknown {
  return { seed, identity: holder.identity.uid, capability: nameOf(capability), at: place.uid, limits };
}
