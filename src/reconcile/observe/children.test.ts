import { expect, it } from "vitest";
import {
  emptyState,
  externalGroup,
  parent,
  platformError,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { childrenOf } from "./children.ts";
import { grant, world } from "./observed-world.testing.ts";
import type { ReconcileState } from "./reconcile-state.ts";
import { identityUid, viewer } from "./references-world.testing.ts";

const failure = {
  step: "delete",
  problem: { kind: "rejected", error: platformError("FAILED_PRECONDITION") },
  attemptOf: "",
  attempts: 1,
  at: 0,
  retryAt: 0,
} as const;
const refused: ReconcileState = { ...emptyState, failure };
const groups = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    externalGroup({ uid: `${parent}/${String(index).padStart(16, "2")}`, name: `g${index}` }),
  );
const bindings = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    grant(`${parent}/${String(index).padStart(16, "3")}`, identityUid, viewer.uid),
  );

function children(state: ReconcileState, listed: Parameters<typeof world>[0]): readonly string[] {
  const { sources, contexts } = world(listed);
  return childrenOf(sources, contexts.team.session, parent, state);
}

const listed = { Group: [externalGroup()], RoleBinding: bindings(1) };

it("names what is directly in a group that the platform refused to delete", () => {
  expect(children(refused, { listed })).toEqual([`group "payments" ${uid}`, `role binding ${bindings(1)[0]?.uid}`]);
});

it("names six at most, the first of each kind", () => {
  expect(children(refused, { listed: { Group: groups(8) } })).toEqual(
    groups(6).map((one) => `group "${one.name}" ${one.uid}`),
  );
  const both = children(refused, { listed: { Group: groups(4), RoleBinding: bindings(4) } });
  expect(both).toHaveLength(6);
  expect(both[0]).toContain('group "g0"');
});

it.each<[string, Partial<ReconcileState>]>([
  ["nothing was refused", { failure: undefined as never }],
  ["another call was refused", { failure: { ...failure, step: "update" } }],
  ["the platform is away", { failure: { ...failure, problem: { kind: "unavailable" } as never } }],
  [
    "it was refused for another reason",
    { failure: { ...failure, problem: { kind: "rejected", error: platformError("ABORTED") } } },
  ],
])("names nothing if %s", (_, state) => {
  expect(children({ ...emptyState, ...state }, { listed })).toEqual([]);
});
