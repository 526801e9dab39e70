import { expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const group: Manifest = { kind: "Group", name: "payments", spec: { parentUid: root, policy } };
const identity: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "payments" }, serviceAccountRef: { name: "ci" }, policy },
};
const binding: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: {
    groupRef: { name: "payments" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { ...policy, adoption: "IfExists" },
  },
};
const all = [group, identity, binding];

const readyOf = ({ kube }: Scenario, { kind, name }: Manifest) =>
  (kube.find(kind, name)?.status as Status | undefined)?.conditions?.find(({ type }) => type === "Ready");

async function restartWithout(kind: string): Promise<Scenario> {
  const scenario = new Scenario();
  for (const manifest of all) scenario.kube.apply(manifest);
  await scenario.until("created", () => scenario.differences(all).length === 0);
  scenario.kube.unreadable.add(kind);
  await scenario.restart();
  return scenario;
}

it("a kind that cannot be read does not keep the others from being served", async () => {
  const scenario = await restartWithout("Identity");
  const other: Manifest = { ...group, name: "orders" };
  scenario.kube.apply(other);
  scenario.kube.apply({ ...group, spec: { ...group.spec, description: "edited" } });
  await scenario.pass(60_000);
  expect(readyOf(scenario, other)?.status).toBe("True");
  expect(readyOf(scenario, group)).toMatchObject({ status: "True", observedGeneration: 2 });
  expect(scenario.process.failures).toEqual([]);
});

it("what refers to an object of a kind that cannot be read waits for it, and stays Ready if it was", async () => {
  const scenario = await restartWithout("Identity");
  const later: Manifest = { ...binding, name: "later", spec: { ...binding.spec, roleRef: { name: "viewer" } } };
  const writes = scenario.kube.writes;
  await scenario.pass(60_000);
  expect(scenario.kube.writes).toBe(writes);
  expect(readyOf(scenario, binding)?.status).toBe("True");
  scenario.kube.apply(later);
  await scenario.pass(60_000);
  expect(readyOf(scenario, later)).toMatchObject({
    status: "False",
    reason: "ReferenceNotReady",
    message: expect.stringMatching(/^spec\.identityRef: .*the Identity objects.*CustomResourceDefinition/),
  });
  expect(scenario.platform.created()).toHaveLength(3);
});

it("a Group is not deleted while the Identities have not been read", async () => {
  const scenario = await restartWithout("Identity");
  const { kube, platform } = scenario;
  kube.remove(binding);
  await scenario.until("the binding is deleted", () => kube.find("RoleBinding", "ci-views") === undefined);
  kube.remove(group);
  await scenario.pass(60_000);
  expect(platform.created()).toHaveLength(2);
  expect(readyOf(scenario, group)).toMatchObject({
    reason: "KubernetesForbidden",
    message: expect.stringContaining("may depend on this one: Identity"),
  });
  kube.unreadable.clear();
  scenario.process.list("Identity");
  await scenario.pass(5_000);
  expect(platform.created()).toHaveLength(2);
  expect(readyOf(scenario, group)).toMatchObject({ reason: "ChildrenExist" });
  kube.remove(identity);
  await scenario.until("deleted", () => kube.objects().length === 0 && platform.created().length === 0);
});

it("nothing counts as an orphan while its kind has not been read", async () => {
  const scenario = await restartWithout("Group");
  await scenario.resync();
  await scenario.pass(60_000);
  expect(scenario.process.orphans()).toEqual([]);
  scenario.kube.unreadable.clear();
  scenario.process.list("Group");
  await scenario.until("ready", () => scenario.differences(all).length === 0);
});
