import { expect, it } from "vitest";
import type { RoleBinding } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { type Caller, notDownscoped } from "../access/caller.ts";
import type { Exchange } from "./access-model/exchange.ts";
import { InProcess } from "./access-model/in-process.ts";
import { exchangeAnswerOf } from "./access-model/exchange-model.ts";
import { answerOf } from "./access-model/model.ts";
import { changeableKinds, type Question, randomQuestion, v1Kinds } from "./access-model/question.ts";
import { Random } from "./access-model/random.ts";
import { settle } from "./access-model/settle.ts";
import {
  type Asker,
  type Place,
  randomAsker,
  randomBinding,
  randomCapabilities,
  randomWorld,
  rolesFor,
  type World,
} from "./access-model/world.ts";

/** Another seed asks other questions; a failure names the one that it came from. */
const seed = Number(process.env["MUSTER_ACCESS_SEED"] ?? "1");
const worlds = 20;
const roundsEach = 5;
const questionsEach = 1_010;
/** Those who ask, in each world: each has one token all the time, whatever changes. */
const askersEach = 80;

it("on every method, in List, in v1 and with narrowed tokens, access is what a naive model says: 101,000 questions", {
  timeout: 300_000,
}, async () => {
  const random = new Random(seed);
  const wrong: unknown[] = [];
  const seen = new Map<string, number>();
  let asked = 0;
  for (let worldNumber = 0; worldNumber < worlds; worldNumber++) {
    const world = randomWorld(random);
    const platform = new InProcess();
    await platform.store.write((tx) => settle(tx, world));
    const exchange = await platform.exchange();
    const askers = await Promise.all(
      Array.from({ length: askersEach }, () => withToken(randomAsker(random, world), world, exchange)),
    );
    for (const { asker, expected, found } of askers) {
      const cell = `exchange ${expected} after ${asker.kind === "admin" ? 0 : asker.narrowings.length}`;
      seen.set(cell, (seen.get(cell) ?? 0) + 1);
      if (found !== expected) wrong.push({ seed, worldNumber, asker: shownAsker(asker), expected, found });
    }
    for (let round = 0; round < roundsEach; round++) {
      if (round > 0) await changeSomething(random, platform, world);
      const questions = Array.from({ length: questionsEach }, () => {
        const { holds: asker, caller } = random.pick(askers);
        return { asker, caller, question: randomQuestion(random, world) };
      });
      const answers = await Promise.all(questions.map(({ caller, question }) => platform.ask(caller, question)));
      for (const [index, { asker, question }] of questions.entries()) {
        const expected = answerOf(world, asker, question);
        const found = answers[index];
        asked++;
        const shows = expected.uids === undefined ? expected.code : expected.uids.length === 0 ? "none" : "some";
        const cell = `${question.verb} ${question.kind} ${shows}`;
        seen.set(cell, (seen.get(cell) ?? 0) + 1);
        if (JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push({
            seed,
            worldNumber,
            round,
            asker: shownAsker(asker),
            question: shown(question),
            expected,
            found,
          });
      }
    }
    await platform.close();
    if (wrong.length > 0) break;
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(asked).toBeGreaterThanOrEqual(100_000);
  // Nothing was proved by questions that all have one answer.
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
  expect(cells.filter((cell) => (seen.get(cell) ?? 0) <= 5)).toEqual([]);
});

interface WithToken {
  readonly asker: Asker;
  /** What the exchange has to answer, and what it answered. */
  readonly expected: number;
  readonly found: number;
  /** Who asks, with the token that there is: of an identity that gets none, one from before. */
  readonly holds: Asker;
  readonly caller: Caller;
}

async function withToken(asker: Asker, world: World, exchange: Exchange): Promise<WithToken> {
  if (asker.kind === "admin") return { asker, expected: 0, found: 0, holds: asker, caller: asker };
  const expected = exchangeAnswerOf(world, asker);
  const caller = await exchange.callerOf(asker);
  if (!("code" in caller)) return { asker, expected, found: 0, holds: asker, caller };
  const before = { kind: "identity", uid: asker.identity.uid, downscoping: notDownscoped, actor: undefined } as const;
  return { asker, expected, found: caller.code, holds: { ...asker, narrowings: [] }, caller: before };
}

/** The world goes on: what was allowed a moment ago must be judged anew. */
async function changeSomething(random: Random, platform: InProcess, world: World): Promise<void> {
  for (let change = 0; change < 4; change++)
    switch (random.below(4)) {
      case 0: {
        const binding = randomBinding(random, world);
        const { identity, role, parent } = binding;
        const question: Question = { verb: "create", kind: "roleBindings", parent, content: { identity, role } };
        const { uid } = (await platform.tell(question)) as RoleBinding;
        world.roleBindings.push({ ...binding, uid });
        break;
      }
      case 1: {
        const target = random.pick(world.roleBindings);
        await platform.tell({ verb: "delete", kind: "roleBindings", target });
        world.roleBindings.splice(world.roleBindings.indexOf(target), 1);
        break;
      }
      case 2: {
        const target = random.pick(world.roles.filter(({ parent }) => parent !== undefined));
        const capabilities = randomCapabilities(random);
        await platform.tell({ verb: "update", kind: "roles", target, content: { capabilities } });
        target.capabilities = capabilities;
        break;
      }
      default: {
        const target = random.pick(world.roleBindings);
        const role = random.pick(rolesFor(world, target.parent as Place));
        const identity = random.pick(world.identities);
        await platform.tell({ verb: "update", kind: "roleBindings", target, content: { identity, role } });
        world.roleBindings.splice(world.roleBindings.indexOf(target), 1, { ...target, identity, role });
      }
    }
}

function shownAsker(asker: Asker): unknown {
  if (asker.kind === "admin") return asker;
  const { identity, narrowings } = asker;
  const shownOnes = narrowings.map(({ capabilities, scopes }) => ({
    capabilities,
    scopes: scopes?.map(({ uid }) => uid),
  }));
  return { identity: identity.uid, narrowings: shownOnes };
}

/** References as uids: what stands above is in the uid. */
function shown(question: Question): unknown {
  return JSON.parse(
    JSON.stringify(question, (key, value: unknown) => {
      const isPlace = typeof value === "object" && value !== null && "uid" in value && key !== "";
      return isPlace ? (value as Place).uid : value;
    }),
  );
}
