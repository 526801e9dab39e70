import { expect, it } from "vitest";
import type { Kind } from "#src/kinds/kind.ts";
import { groupResource, identityResource, parent, uid } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { kindNamed, listedAt, world } from "./observed-world.testing.ts";
import { recorded, terminating } from "./references-world.testing.ts";
import { peopleOf } from "./vouched-people.ts";

const provider = { uid, description: "" };
const person = (digit: string, name = "vouched") => ({
  uid: `${parent}/${digit.repeat(16)}`,
  name,
  description: "",
});
const managed = identityResource({ status: recorded(person("5").uid) });
/** A kind whose resources vouch for some identities. */
const kind = {
  ...kindNamed("Group"),
  vouching: { vouchesFor: (_resource: unknown, _external: unknown, { name }: { name: string }) => name === "vouched" },
} as unknown as Kind;

it("the people of what is deleted are those for whom it vouches, and whom no object manages", () => {
  const listed = { Identity: [person("4"), person("5"), person("6", "else")] };
  const { sources, contexts } = world({ objects: [managed], listed });
  const of = (metadata: object, found: readonly (typeof provider)[]) =>
    peopleOf(sources, contexts.team.session, kind, groupResource({ metadata }), found);
  const snapshot = { startedAt: listedAt, stable: true };
  expect(of(terminating, [provider])).toEqual({ group: parent, snapshot, uids: [person("4").uid] });
  expect(of({}, [provider])).toBeNull();
  expect(of(terminating, [])).toBeNull();
});
