import { expect, it } from "vitest";
import type { RoleBinding } from "../gen/muster/platform/iam/v2beta1/role_binding_pb.ts";
import { answerOf } from "./access-model/model.ts";
import { InProcess } from "./access-model/in-process.ts";
import { kinds, type Question, randomQuestion } from "./access-model/question.ts";
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

it("on every method and in List, access is what a naive model says: 101,000 questions over random trees, roles and callers", {
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
    for (let round = 0; round < roundsEach; round++) {
      if (round > 0) await changeSomething(random, platform, world);
      const questions = Array.from({ length: questionsEach }, () => {
        const asker = randomAsker(random, world);
        return { asker, question: randomQuestion(random, world) };
      });
      const answers = await Promise.all(questions.map(({ asker, question }) => platform.ask(asker, question)));
      for (const [index, { asker, question }] of questions.entries()) {
        const expected = answerOf(world, asker, question);
        const found = answers[index];
        asked++;
        const cell = `${question.verb} ${question.kind} ${expected.code}`;
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
  for (const kind of kinds)
    for (const verb of ["get", "create", "delete", ...(kind === "tags" ? [] : ["update"])])
      for (const code of [0, 5, 7])
        expect(seen.get(`${verb} ${kind} ${code}`), `${verb} ${kind} ${code}`).toBeGreaterThan(5);
});

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
  const { identity, capabilities, scopes } = asker;
  return { identity: identity.uid, capabilities, scopes: scopes?.map(({ uid }) => uid) };
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
