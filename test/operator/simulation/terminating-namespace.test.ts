import { expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const parent: Manifest = { kind: "Group", name: "parent", spec: { parentUid: root, policy } };
const child: Manifest = { kind: "Group", name: "child", spec: { parentRef: { name: "parent" }, policy } };

it("where a status may not be written any more, deletions wait and go on without a failure, and it is tried once a minute", async () => {
  const scenario = new Scenario();
  const { kube, platform, process } = scenario;
  kube.apply(parent);
  kube.apply(child);
  await scenario.until("created", () => scenario.differences([parent, child]).length === 0);

  // The child is held, and the parent waits for it, which it cannot tell.
  kube.annotate("Group", "child", { [pausedAnnotation]: "true" });
  await scenario.pass(1_000);
  kube.refusesStatus = true;
  kube.remove(child);
  kube.remove(parent);
  await scenario.pass(600_000);
  expect(kube.objects()).toHaveLength(2);
  expect(process.silences).toBeGreaterThan(5);
  expect(process.silences).toBeLessThanOrEqual(10);

  kube.annotate("Group", "child", {});
  await scenario.until("deleted", () => kube.objects().length === 0 && platform.things().length === 0);
  expect(process.failures).toEqual([]);
});

it("of what stays, a status that may not be written is a failure", async () => {
  const scenario = new Scenario();
  scenario.kube.refusesStatus = true;
  scenario.kube.apply(parent);
  await scenario.pass(10_000);
  expect(scenario.process.failures).not.toEqual([]);
  scenario.kube.refusesStatus = false;
  await scenario.until("created", () => scenario.differences([parent]).length === 0);
});
