import { expect, it } from "vitest";
import { inTurn, oneIn, runsAll, seedsOf } from "#test/support/turn/in-turn.ts";
import type { RoleBinding } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { type Caller, notDownscoped } from "../authorization/caller.ts";
import { initialStamp } from "../authorization/security-stamp.ts";
import type { Exchange } from "./access-model/exchange.testing.ts";
import { InProcess } from "./access-model/in-process.testing.ts";
import { expectedExchangeCode } from "./access-model/exchange-model.testing.ts";
import { expectedResultOf } from "./access-model/model.testing.ts";
import { changeableKinds, type Call, randomCall, v1Kinds } from "./access-model/call.testing.ts";
import { Random } from "./access-model/random.testing.ts";
import {
  type Principal,
  type Place,
  randomPrincipal,
  randomBinding,
  randomCapabilities,
  randomWorld,
  rolesFor,
  type World,
} from "./access-model/world.testing.ts";

/** Other seeds generate other calls; a failure reports its seed. */
const seed = Number(process.env["MUSTER_ACCESS_SEED"] ?? "1");
const worlds = inTurn(seedsOf(27));
const roundsEach = 5;
const callsEach = 1_010;
/** The principals of each world; each keeps its token while the world changes. */
const principalsEach = 80;

it("every method, List, v1 and downscoped tokens: the access rules equal those of a naive model, in 136,000 calls", {
  timeout: 300_000,
}, async () => {
  const wrong: unknown[] = [];
  const seen = new Map<string, number>();
  let compared = 0;
  for (const worldNumber of worlds) {
    const random = Random.ofWorld(seed, worldNumber);
    const world = randomWorld(random);
    const platform = await InProcess.of(world);
    const exchange = await platform.exchange();
    const principals = await Promise.all(
      Array.from({ length: principalsEach }, () => withToken(randomPrincipal(random, world), world, exchange)),
    );
    for (const { principal, expected, found } of principals) {
      const cell = `exchange ${expected} after ${principal.kind === "admin" ? 0 : principal.downscopes.length}`;
      seen.set(cell, (seen.get(cell) ?? 0) + 1);
      if (found !== expected) wrong.push({ seed, worldNumber, principal: shownPrincipal(principal), expected, found });
    }
    for (let round = 0; round < roundsEach; round++) {
      if (round > 0) await changeSomething(random, platform, world);
      const calls = Array.from({ length: callsEach }, () => {
        const { tokenOf: principal, caller } = random.pick(principals);
        return { principal, caller, call: randomCall(random, world) };
      });
      const results = await Promise.all(calls.map(({ caller, call }) => platform.dryRun(caller, call)));
      for (const [index, { principal, call }] of calls.entries()) {
        const expected = expectedResultOf(world, principal, call);
        const found = results[index];
        compared++;
        const shows = expected.uids === undefined ? expected.code : expected.uids.length === 0 ? "none" : "some";
        const cell = `${call.verb} ${call.kind} ${shows}`;
        seen.set(cell, (seen.get(cell) ?? 0) + 1);
        if (JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push({
            seed,
            worldNumber,
            round,
            principal: shownPrincipal(principal),
            call: shown(call),
            expected,
            found,
          });
      }
    }
    await exchange.close();
    await platform.close();
    if (wrong.length > 0) break;
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(compared * oneIn).toBeGreaterThanOrEqual(130_000);
  // Every method returned every one of its codes.
  const cells = [
    ...changeableKinds.flatMap((kind) =>
      ["get", "create", "delete", ...(kind === "tags" ? [] : ["update"])].map((verb) => `${verb} ${kind}`),
    ),
    "get advisories",
  ].flatMap((cell) => [0, 5, 7].map((code) => `${cell} ${code}`));
  const lists = [
    ...[...changeableKinds, "advisories"].map((kind) => `list ${kind}`),
    ...v1Kinds.map((kind) => `listV1 ${kind}`),
  ];
  cells.push(...lists.flatMap((cell) => [3, "some", "none"].map((shows) => `${cell} ${shows}`)));
  cells.push("exchange 0 after 1", "exchange 7 after 1", "exchange 0 after 2", "exchange 7 after 2");
  // Several times in all worlds.
  expect(cells.filter((cell) => (seen.get(cell) ?? 0) <= (runsAll ? 5 : 0))).toEqual([]);
});

interface WithToken {
  readonly principal: Principal;
  /** The expected and the actual code of the exchange. */
  readonly expected: number;
  readonly found: number;
  /** The principal that makes the calls. If the exchange fails, it is one with a token from an earlier exchange. */
  readonly tokenOf: Principal;
  readonly caller: Caller;
}

async function withToken(principal: Principal, world: World, exchange: Exchange): Promise<WithToken> {
  if (principal.kind === "admin") return { principal, expected: 0, found: 0, tokenOf: principal, caller: principal };
  const expected = expectedExchangeCode(world, principal);
  const caller = await exchange.callerOf(principal);
  if (!("code" in caller)) return { principal, expected, found: 0, tokenOf: principal, caller };
  const before = {
    kind: "identity",
    uid: principal.identity.uid,
    stamp: { value: initialStamp.value, key: undefined },
    downscoping: notDownscoped,
    actor: undefined,
  } as const;
  return { principal, expected, found: caller.code, tokenOf: { ...principal, downscopes: [] }, caller: before };
}

/** Changes bindings or roles: earlier decisions must be made again. */
async function changeSomething(random: Random, platform: InProcess, world: World): Promise<void> {
  for (let change = 0; change < 4; change++)
    switch (random.below(4)) {
      case 0: {
        const binding = randomBinding(random, world);
        const { identity, role, parent } = binding;
        const call: Call = { verb: "create", kind: "roleBindings", parent, content: { identity, role } };
        const { uid } = (await platform.perform(call)) as RoleBinding;
        world.roleBindings.push({ ...binding, uid });
        break;
      }
      case 1: {
        const target = random.pick(world.roleBindings);
        await platform.perform({ verb: "delete", kind: "roleBindings", target });
        world.roleBindings.splice(world.roleBindings.indexOf(target), 1);
        break;
      }
      case 2: {
        const target = random.pick(world.roles.filter(({ parent }) => parent !== undefined));
        const capabilities = randomCapabilities(random);
        await platform.perform({ verb: "update", kind: "roles", target, content: { capabilities } });
        target.capabilities = capabilities;
        break;
      }
      default: {
        const target = random.pick(world.roleBindings);
        const role = random.pick(rolesFor(world, target.parent as Place));
        const identity = random.pick(world.identities);
        await platform.perform({ verb: "update", kind: "roleBindings", target, content: { identity, role } });
        world.roleBindings.splice(world.roleBindings.indexOf(target), 1, { ...target, identity, role });
      }
    }
}

function shownPrincipal(principal: Principal): unknown {
  if (principal.kind === "admin") return principal;
  const { identity, downscopes } = principal;
  const shownOnes = downscopes.map(({ capabilities, scopes }) => ({
    capabilities,
    scopes: scopes?.map(({ uid }) => uid),
  }));
  return { identity: identity.uid, downscopes: shownOnes };
}

/** The call with references as uids, which contain the ancestors. */
function shown(call: Call): unknown {
  return JSON.parse(
    JSON.stringify(call, (key, value: unknown) => {
      const isPlace = typeof value === "object" && value !== null && "uid" in value && key !== "";
      return isPlace ? (value as Place).uid : value;
    }),
  );
}
