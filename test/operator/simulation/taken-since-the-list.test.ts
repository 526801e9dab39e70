import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { hours } from "#src/time/durations.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, grantOf, root, viewer } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";
import { startWorld } from "./undeclared-world.ts";

// Somebody else takes a resource after the operator has listed it: another owner puts its marker on it, or it becomes another
// grant. What the operator then does was decided from a list that is up to ten minutes old.

const policy = { management: "Full", drift: "Correct", adoption: "Never" };
const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, undeclared: "Report", policy } };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: {
    groupRef: { name: "shop" },
    claimMatch: { issuer: "https://issuer.example", subject: "ci" },
    description: "",
    policy,
  },
};
const reader: Manifest = {
  kind: "Role",
  name: "reader",
  spec: { groupRef: { name: "shop" }, capabilities: ["CAP_IAM_GROUPS_LIST"], description: "", policy },
};
const audits: Manifest = {
  kind: "RoleBinding",
  name: "audits",
  spec: {
    groupRef: { name: "shop" },
    identityUid: auditor,
    roleRef: { name: "viewer" },
    policy: { management: "Full", drift: "Correct" },
  },
};
const collections: Readonly<Record<string, string>> = {
  Group: "groups",
  Identity: "identities",
  Role: "roles",
  RoleBinding: "roleBindings",
};
const foreign = withMarker("theirs", markerOf(ownerHash("another"), objectHash("Group", "else", "where")));

const withPolicy = (manifest: Manifest, more: object): Manifest => ({
  ...manifest,
  spec: { ...manifest.spec, policy: { ...policy, ...more } },
});

const statusOf = ({ kube }: Scenario, { kind, name }: Manifest) => kube.find(kind, name)?.status as Status | undefined;
const reasonOf = (scenario: Scenario, manifest: Manifest) =>
  statusOf(scenario, manifest)?.conditions?.find(({ type }) => type === "Ready")?.reason;

/** Everything is Ready, and was listed a while ago. */
async function listedAWhileAgo(...manifests: readonly Manifest[]): Promise<Scenario> {
  const scenario = new Scenario();
  for (const manifest of manifests) scenario.kube.apply(manifest);
  await scenario.until("Ready", () => manifests.every((one) => reasonOf(scenario, one) === "Available"));
  await scenario.pass(60_000);
  await scenario.resync();
  await scenario.pass(60_000);
  return scenario;
}

/** Another owner puts its marker on the resource of an object. @returns the resource afterwards */
function take(scenario: Scenario, manifest: Manifest) {
  const { kind } = manifest;
  const uid = statusOf(scenario, manifest)?.uid ?? "";
  const before = scenario.platform.createdIn(collections[kind] ?? "").find((one) => one.uid === uid);
  if (before === undefined) throw new Error(`${kind} has no resource`);
  const taken = { ...before, description: foreign };
  scenario.platform.set(collections[kind] ?? "", taken);
  return taken;
}

const gone = (scenario: Scenario, { kind, name }: Manifest) => scenario.kube.find(kind, name) === undefined;

describe.each([
  ["Group", shop, []],
  ["Identity", ci, [shop]],
  ["Role", reader, [shop]],
] as const)("a %s on which another owner put its marker after the last list", (_, manifest, others) => {
  const collection = collections[manifest.kind] ?? "";

  it("is not changed or deleted when its object is deleted", async () => {
    const scenario = await listedAWhileAgo(...others, manifest);
    const taken = take(scenario, manifest);
    scenario.kube.remove(manifest);
    await scenario.until("gone", () => gone(scenario, manifest));
    expect(scenario.platform.createdIn(collection)).toContainEqual(taken);
  });

  it("keeps the marker when its object is deleted and says Orphan", async () => {
    const orphan = withPolicy(manifest, { deletion: "Orphan" });
    const scenario = await listedAWhileAgo(...others, orphan);
    const taken = take(scenario, orphan);
    scenario.kube.remove(orphan);
    await scenario.until("gone", () => gone(scenario, orphan));
    expect(scenario.platform.createdIn(collection)).toContainEqual(taken);
  });

  it("keeps the marker when its object comes to observe it", async () => {
    const scenario = await listedAWhileAgo(...others, manifest);
    const taken = take(scenario, manifest);
    scenario.kube.apply(withPolicy(manifest, { management: "Observe" }));
    await scenario.pass(30_000);
    expect(scenario.platform.createdIn(collection)).toContainEqual(taken);
    expect(scenario.kube.find(manifest.kind, manifest.name)?.metadata.finalizers ?? []).toEqual([]);
  });

  it.each([
    ["its description", { description: "changed" }],
    ["its name", { name: "renamed" }],
  ])("is in Conflict, and is not changed, when its object is edited: %s", async (__, edit) => {
    const scenario = await listedAWhileAgo(...others, manifest);
    const taken = take(scenario, manifest);
    scenario.kube.apply({ ...manifest, spec: { ...manifest.spec, ...edit } });
    await scenario.until("a Conflict", () => reasonOf(scenario, manifest) === "Conflict");
    expect(scenario.platform.createdIn(collection)).toContainEqual(taken);
  });

  it("is not changed although it is deleted a moment after the list, or edited a moment after it", async () => {
    for (const change of ["delete", "edit"] as const) {
      const scenario = await listedAWhileAgo(...others, manifest);
      await scenario.resync();
      const taken = take(scenario, manifest);
      if (change === "delete") scenario.kube.remove(manifest);
      else scenario.kube.apply({ ...manifest, spec: { ...manifest.spec, description: "changed" } });
      await scenario.pass(30_000);
      expect(scenario.platform.createdIn(collection), change).toContainEqual(taken);
    }
  });

  it("is not deleted when its object waited for an hour before it could be deleted", async () => {
    const protect = withPolicy(manifest, { deletion: "Protect" });
    const scenario = await listedAWhileAgo(...others, protect);
    scenario.kube.remove(protect);
    await scenario.until("Protected", () => reasonOf(scenario, protect) === "Protected");
    await scenario.pass(hours(1));
    const taken = take(scenario, protect);
    scenario.kube.apply(withPolicy(manifest, { deletion: "Delete" }));
    await scenario.until("gone", () => gone(scenario, protect));
    expect(scenario.platform.createdIn(collection)).toContainEqual(taken);
  });
});

it("an identity that an object comes to adopt by its uid, and another owner took since the last list, is in Conflict", async () => {
  const scenario = await listedAWhileAgo(shop);
  const uid = `${root}/eeeeeeeeeeeeeeee`;
  const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
  scenario.platform.set("identities", { uid, name: "ci", description: "by hand", claimMatch });
  await scenario.resync();
  await scenario.pass(60_000);
  const taken = { uid, name: "ci", description: foreign, claimMatch };
  scenario.platform.set("identities", taken);
  const { groupRef: _, ...spec } = ci.spec as { readonly groupRef: object };
  const adopting = { ...spec, uid, groupUid: root, policy: { ...policy, adoption: "IfExists" } };
  scenario.kube.apply({ ...ci, spec: adopting });
  await scenario.until("a Conflict", () => reasonOf(scenario, ci) === "Conflict");
  expect(scenario.platform.createdIn("identities")).toEqual([taken]);
  expect(statusOf(scenario, ci)?.management).toBeUndefined();
});

it("a group that is deleted with everything in it leaves what another owner took since the last list", async () => {
  const scenario = await listedAWhileAgo(shop, ci, reader, audits);
  const taken = [take(scenario, ci), take(scenario, reader)];
  for (const manifest of [shop, ci, reader, audits]) scenario.kube.remove(manifest);
  await scenario.until("gone", () => [ci, reader, audits].every((one) => gone(scenario, one)));
  await scenario.pass(60_000);
  for (const one of taken) expect(scenario.platform.created()).toContainEqual(one);
  expect(scenario.platform.createdIn("roleBindings")).toEqual([]);
});

it("seven objects that are deleted or edited together leave what another owner took since the last list", async () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ ...ci, name: `ci-${index}` }));
  const scenario = await listedAWhileAgo(shop, ...many);
  const taken = many.slice(10, 17).map((one) => take(scenario, one));
  for (const [index, one] of many.entries())
    if (index % 2 === 0) scenario.kube.remove(one);
    else scenario.kube.apply({ ...one, spec: { ...one.spec, description: "changed" } });
  await scenario.pass(60_000);
  for (const one of taken) expect(scenario.platform.createdIn("identities")).toContainEqual(one);
  // Of the other 33 objects, 16 were deleted and 17 edited.
  expect(scenario.platform.createdIn("identities")).toHaveLength(24);
});

it("the loser of two clusters that is deleted does not remove the marker of the winner", async () => {
  const first = new Scenario({}, undefined, undefined, { ownerId: "first" });
  const second = new Scenario({}, undefined, undefined, { ownerId: "second", beside: first });
  const { platform } = first;
  const adopting = { ...withPolicy(ci, { adoption: "IfExists" }) };
  const { groupRef: _, ...spec } = adopting.spec as { readonly groupRef: object };
  const inRoot: Manifest = { ...adopting, spec: { ...spec, groupUid: root } };
  const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
  platform.set("identities", { uid: `${root}/eeeeeeeeeeeeeeee`, name: "ci", description: "by hand", claimMatch });
  first.kube.apply(inRoot);
  await first.until("adopted", () => reasonOf(first, inRoot) === "Available");
  await first.resync();
  await first.pass(60_000);
  // Somebody gives it to the second cluster: the marker is removed, and the second one adopts.
  const [marked] = platform.createdIn("identities");
  platform.set("identities", { uid: "", ...marked, description: "by hand" });
  second.kube.apply(inRoot);
  await second.until("adopted", () => reasonOf(second, inRoot) === "Available");
  const adopted = platform.createdIn("identities");
  first.kube.remove(inRoot);
  await first.until("gone", () => first.kube.objects().length === 0);
  expect(platform.createdIn("identities")).toEqual(adopted);
});

describe("a role binding that became another grant after the last list", () => {
  const expiring: Manifest = { ...audits, spec: { ...audits.spec, expiresAt: "" } };

  it.each(["deleted", "expired"])("is not deleted when its object is %s", async (how) => {
    const scenario = new Scenario();
    const expiresAt = new Date(scenario.clock.now() + 300_000).toISOString().replace(/\.\d+Z$/, "Z");
    const grant = how === "expired" ? { ...expiring, spec: { ...audits.spec, expiresAt } } : audits;
    for (const manifest of [shop, grant]) scenario.kube.apply(manifest);
    await scenario.until("Ready", () => reasonOf(scenario, grant) === "Available");
    await scenario.resync();
    await scenario.pass(60_000);
    const uid = statusOf(scenario, grant)?.uid ?? "";
    const changed = grantOf(uid, `${root}/00000000000000f1`, viewer);
    scenario.platform.set("roleBindings", changed);
    if (how === "deleted") scenario.kube.remove(grant);
    else {
      await scenario.pass(300_000);
      await scenario.until("Expired", () => reasonOf(scenario, grant) === "Expired");
    }
    await scenario.pass(30_000);
    expect(scenario.platform.createdIn("roleBindings")).toEqual([changed]);
  });
});

it("an undeclared identity on which another owner put its marker after the last list is not removed", async () => {
  const { kube, platform, scenario, stranger, existing, resync } = await startWorld("Remove");
  const other = stranger();
  kube.annotate("Group", "shop", { [pausedAnnotation]: "true" });
  await resync(2);
  platform.set("identities", { uid: other, name: "stranger", description: foreign });
  await scenario.pass(60_000);
  kube.annotate("Group", "shop", { [pausedAnnotation]: "false" });
  await scenario.pass(60_000);
  await resync(3);
  expect(existing(other)).toEqual([other]);
});
