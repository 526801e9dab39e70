import { expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { observeRefusals } from "#src/reconcile/observe/refusals.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const parent: Manifest = { kind: "Group", name: "parent", spec: { parentUid: root, policy } };
const child: Manifest = { kind: "Group", name: "child", spec: { parentRef: { name: "parent" }, policy } };

it("deletions wait and continue without failures if Kubernetes forbids status writes, which are retried with backoff", async () => {
  const scenario = new Scenario();
  const { kube, platform, process } = scenario;
  kube.apply(parent);
  kube.apply(child);
  await scenario.until("created", () => scenario.differences([parent, child]).length === 0);

  // The child is paused, and the parent waits for it, but neither can report its new generation.
  kube.annotate("Group", "child", { [pausedAnnotation]: "true" });
  await scenario.pass(1_000);
  kube.forbidsStatus = true;
  kube.remove(child);
  kube.remove(parent);
  await scenario.pass(600_000);
  expect(kube.objects()).toHaveLength(2);
  expect(process.forbiddenStatuses).toBeGreaterThan(5);
  expect(process.forbiddenStatuses).toBeLessThanOrEqual(2 * 10);

  kube.annotate("Group", "child", {});
  await scenario.until("deleted", () => kube.objects().length === 0 && platform.created().length === 0);
  expect(process.failures).toEqual([]);
});

it("a forbidden status write of an object that is not being deleted is reported outside of the object", async () => {
  const scenario = new Scenario();
  scenario.kube.forbidsStatus = true;
  scenario.kube.apply(parent);
  await scenario.pass(10_000);
  expect(observeRefusals(scenario.process.sources)).toMatchObject([
    { namespace: "team", kind: "Group", step: "writeStatus", code: 403, objects: 1 },
  ]);
  scenario.kube.forbidsStatus = false;
  await scenario.until("created", () => scenario.differences([parent]).length === 0);
});
