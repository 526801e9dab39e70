import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { observe } from "#src/reconcile/observe/observe.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { decide } from "#src/reconcile/policy/decide.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, lostResponses, root } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const parent: Manifest = { kind: "Group", name: "parent", spec: { parentUid: root, policy } };
const child: Manifest = { kind: "Group", name: "child", spec: { parentRef: { name: "parent" }, policy } };
const identity: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "child" }, claimMatch: { issuer: "https://issuer.example", subject: "ci" }, policy },
};
const binding = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: {
    groupRef: { name: "child" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { ...policy, adoption: "IfExists" },
  },
} satisfies Manifest;
/** It needs nothing but the roles, so it is the first to read them. */
const audit: Manifest = {
  kind: "RoleBinding",
  name: "auditor-views",
  spec: { groupUid: root, identityUid: auditor, roleRef: { name: "viewer" }, policy: binding.spec.policy },
};
const tree = [parent, child, identity, binding, audit];
const faults: readonly Fault[] = [
  { admission: false },
  { admission: true },
  ...lostResponses.map((how) => ({ lose: { post: 1, how } })),
  { crash: { call: 9, when: "after" } },
];

/** Decides about a copy of `observed` that was written as JSON and read again. */
function expectReplay(observed: Observed, step: Step): void {
  const kind = kinds.find(({ name }) => name === observed.resource.kind);
  if (kind === undefined) throw new Error(`unknown kind ${observed.resource.kind}`);
  const copy = JSON.parse(JSON.stringify(observed)) as Observed;
  expect(copy).toStrictEqual(observed);
  expect(decide(copy, kind).step).toStrictEqual(step);
}

/** Observes every object and replays the observation. Most of these steps are waits, which the reconciler does not report. */
function replayAll({ process: { sources } }: Scenario, steps: Set<Step["do"]>): void {
  for (const kind of kinds)
    for (const key of sources.stores.get(kind.name).keys()) {
      const observed = observe(sources, kind, key);
      if (observed === undefined) continue;
      const step = decide(observed, kind).step;
      expectReplay(observed, step);
      steps.add(step.do);
    }
}

it("an observation that was written as JSON leads to the same step, at any time of a tree's life", async () => {
  const steps = new Set<Step["do"]>();
  for (const fault of faults) {
    const scenario = new Scenario(fault, (observed, step) => {
      expectReplay(observed, step);
      steps.add(step.do);
    });
    const replayFor = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 1) {
        await scenario.pass(1);
        replayAll(scenario, steps);
      }
    };
    for (const manifest of tree.toReversed()) scenario.kube.apply(manifest);
    await replayFor(150);
    await scenario.until("created", () => scenario.differences(tree).length === 0);
    scenario.kube.apply({ ...child, spec: { ...child.spec, description: "edited" } });
    await replayFor(20);
    for (const manifest of tree) scenario.kube.remove(manifest);
    await replayFor(100);
    await scenario.until("deleted", () => scenario.kube.objects().length === 0);
  }
  expect([...steps].toSorted()).toEqual([
    "addFinalizer",
    "create",
    "delete",
    "done",
    "list",
    "read",
    "readCrd",
    "readIdentity",
    "refreshPermissions",
    "removeFinalizer",
    "update",
    "wait",
    "writeStatus",
  ]);
});
