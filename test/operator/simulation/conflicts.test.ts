import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { type Manifest, namespace } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";
import { blue, red, shared, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
/** Less than any interval: what heals within it was woken. */
const atOnceMs = 5_000;

const group = (object: string, name: string, parentUid = root, inNamespace = namespace): Manifest => ({
  kind: "Group",
  name: object,
  namespace: inNamespace,
  spec: { parentUid, name, policy: { ...policy, management: "Full" } },
});

function readyOf(scenario: Scenario, { kind, name, namespace: inNamespace }: Manifest) {
  const status = scenario.kube.find(kind, name, inNamespace)?.status as Status | undefined;
  return status?.conditions?.find(({ type }) => type === "Ready");
}

describe("objects that take each other's names", () => {
  async function world(...names: readonly string[]) {
    const scenario = new Scenario();
    const objects = names.map((name) => group(name, name));
    for (const object of objects) scenario.kube.apply(object);
    await scenario.until("Ready", () => objects.every((one) => readyOf(scenario, one)?.status === "True"));
    return {
      scenario,
      /** Renames objects at once, as one `kubectl apply` of several files does. */
      rename: (wanted: Readonly<Record<string, string>>) => {
        for (const [object, name] of Object.entries(wanted)) scenario.kube.apply(group(object, name));
      },
      reasons: () => objects.map((one) => readyOf(scenario, one)?.reason),
      uidOf: (name: string) => (scenario.kube.find("Group", name)?.status as Status | undefined)?.uid,
      names: () =>
        objects.map(({ kind, name }) => {
          const status = scenario.kube.find(kind, name)?.status as Status | undefined;
          const found = scenario.platform.created().find(({ uid }) => uid === status?.uid);
          return (found as { name?: string } | undefined)?.name;
        }),
    };
  }

  it.each([
    ["the one that keeps the others waiting is applied first", ["b", "a"]],
    ["the one that keeps the others waiting is applied last", ["a", "b"]],
  ])("follow each other in a chain: %s", async (_, order) => {
    const { scenario, rename, reasons, names } = await world("a", "b");
    const wanted: Readonly<Record<string, string>> = { a: "b", b: "c" };
    for (const object of order) {
      rename({ [object]: wanted[object] ?? "" });
      await scenario.pass(order[0] === object ? 3_000 : 0);
    }
    await scenario.pass(atOnceMs);
    expect(reasons()).toEqual(["Available", "Available"]);
    expect(names()).toEqual(["b", "c"]);
  });

  it("say how a swap is made, and make it at once when one of them is renamed", async () => {
    const { scenario, rename, reasons, names, uidOf } = await world("a", "b");
    rename({ a: "b", b: "a" });
    await scenario.until("Conflict", () => reasons().every((reason) => reason === "Conflict"));
    await scenario.pass(30_000);
    expect(names()).toEqual(["a", "b"]);
    expect(readyOf(scenario, group("a", "b"))?.message).toBe(
      `spec.name: Group a and Group b want each other's names. The group ${uidOf("b")} has the name "b" below the same parent, and names are unique, so nothing is renamed. To exchange the names, set spec.name of one of the two to a name that no other group has, wait until both are Ready, and then give it its final name.`,
    );
    rename({ b: "other" });
    await scenario.pass(atOnceMs);
    expect(reasons()).toEqual(["Available", "Available"]);
    rename({ b: "a" });
    await scenario.pass(atOnceMs);
    expect(reasons()).toEqual(["Available", "Available"]);
    expect(names()).toEqual(["b", "a"]);
  });

  it("make a circular exchange once one of three is renamed", async () => {
    const { scenario, rename, reasons, names } = await world("a", "b", "c");
    rename({ a: "b", b: "c", c: "a" });
    await scenario.until("Conflict", () => reasons().every((reason) => reason === "Conflict"));
    await scenario.pass(30_000);
    expect(readyOf(scenario, group("b", "c"))?.message).toContain(
      "Group b, Group c and Group a want each other's names",
    );
    rename({ c: "other" });
    await scenario.pass(atOnceMs);
    expect(names()).toEqual(["b", "c", "other"]);
    expect(reasons()).toEqual(["Available", "Available", "Available"]);
    rename({ c: "a" });
    await scenario.pass(atOnceMs);
    expect(names()).toEqual(["b", "c", "a"]);
    expect(reasons()).toEqual(["Available", "Available", "Available"]);
  });

  it("say so at once, also the one that waited for the name of the other before that wanted its name", async () => {
    const { scenario, rename, reasons } = await world("a", "b");
    rename({ a: "b" });
    await scenario.until("Conflict", () => reasons()[0] === "Conflict");
    await scenario.pass(90_000);
    const messageOfA = () => readyOf(scenario, group("a", "b"))?.message;
    expect(messageOfA()).toContain("is managed by Group b. Choose another name");
    rename({ b: "a" });
    await scenario.pass(atOnceMs);
    expect(messageOfA()).toContain("Group a and Group b want each other's names");
    expect(readyOf(scenario, group("b", "a"))?.message).toContain("Group b and Group a want each other's names");
  });

  it("do not speak of a swap while only one of them wants the name of the other", async () => {
    const { scenario, rename, reasons } = await world("a", "b", "c");
    rename({ b: "c", c: "b" });
    await scenario.until("Conflict", () => reasons()[1] === "Conflict" && reasons()[2] === "Conflict");
    rename({ a: "b" });
    await scenario.until("Conflict", () => reasons().every((reason) => reason === "Conflict"));
    expect(readyOf(scenario, group("a", "b"))?.message).toContain("is managed by Group b. Choose another name");
  });

  it("are named only in their own namespace", async () => {
    const tenants = new TwoTenants();
    const [one, other] = [group("one", "x", shared), group("other", "y", shared, "other")];
    await tenants.apply([one, other]);
    await tenants.until("Available", [one, other]);
    await tenants.apply([group("one", "y", shared), group("other", "x", shared, "other")]);
    await tenants.until("Conflict", [one, other]);
    expect(tenants.messageOf(one)).toContain(
      "spec.name: Group one and a Group in another namespace want each other's names",
    );
    await tenants.apply([group("other", "z", shared, "other")]);
    await tenants.scenario.pass(atOnceMs);
    await tenants.apply([group("other", "x", shared, "other")]);
    await tenants.scenario.pass(atOnceMs);
    expect([one, other].map((each) => tenants.reasonOf(each))).toEqual(["Available", "Available"]);
    await tenants.rest();
  });

  it("continue when the other one is deleted instead", async () => {
    const { scenario, rename, reasons } = await world("a", "b");
    rename({ a: "b", b: "a" });
    await scenario.until("Conflict", () => reasons().every((reason) => reason === "Conflict"));
    scenario.kube.remove(group("b", "a"));
    await scenario.pass(atOnceMs);
    expect(readyOf(scenario, group("a", "b"))?.reason).toBe("Available");
  });
});

describe("an object in Conflict continues at once when the one that comes first may not have it any longer:", () => {
  const existing = `${shared}/00000000000000d1`;
  const robot = `${shared}/00000000000000d2`;
  /** Wants the group `existing`, which nobody manages. */
  const claim = (inNamespace: string): Manifest => {
    const { kind, spec } = group("claim", "existing", shared);
    return { kind, name: "claim", namespace: inNamespace, spec: { ...spec, uid: existing } };
  };
  const grant = (inNamespace: string): Manifest => ({
    kind: "RoleBinding",
    name: "grant",
    namespace: inNamespace,
    spec: {
      groupUid: shared,
      identityUid: robot,
      roleRef: { name: "viewer" },
      policy: { management: "Full", drift: "Correct", deletion: "Delete" },
    },
  });
  const lent = (allowedNamespaces: readonly string[]): Manifest => {
    const { spec, ...rest } = group("lent", "lent", blue, "other");
    return { ...rest, spec: { ...spec, allowedNamespaces: [...allowedNamespaces] } };
  };
  /** Below the lent group: with a reference in the namespace to which it is lent, and where it is declared by its uid. */
  const below = (inNamespace: string, world: TwoTenants): Manifest => {
    const uid = world.statusOf(lent([]))?.uid;
    const { spec, ...rest } = group("below", "below", uid, inNamespace);
    if (inNamespace === "other") return { ...rest, spec };
    const { parentUid: _, ...others } = spec as { readonly parentUid: string };
    return { ...rest, spec: { ...others, parentRef: { name: "lent", namespace: "other" } } };
  };
  const manifests = { claim, grant, below };

  /** The objects want the same, in two Tenants. The first is paused: its status does not show what changes for it. */
  async function conflict(what: keyof typeof manifests): Promise<TwoTenants> {
    // With the finalizer from its creation, an object could have its resource before the pause is seen, or stay when it is deleted.
    const world = new TwoTenants({ admission: false });
    const { scenario } = world;
    const { kube, platform } = scenario;
    // Both Tenants act as the operator, so that both see the same.
    world.tenant("blue", { identityUid: "" });
    platform.setInitial("groups", { uid: existing, name: "existing", description: "" });
    platform.setInitial("identities", { uid: robot, name: "robot", description: "" });
    if (what === "below") {
      kube.apply(lent(["team"]));
      await world.until("Available", [lent([])]);
    }
    const [first, second] = [manifests[what]("team", world), manifests[what]("other", world)];
    kube.apply(first);
    kube.annotate(first.kind, first.name, { "iam.muster.dev/paused": "true" });
    await world.until("Paused", [first]);
    // The older one comes first, by seconds.
    await scenario.pass(2_000);
    kube.apply(second);
    await world.until("Conflict", [second]);
    await scenario.pass(30_000);
    expect(world.reasonOf(second)).toBe("Conflict");
    return world;
  }

  it.each<[string, keyof typeof manifests, (world: TwoTenants) => void]>([
    ["its namespace loses the Tenant", "claim", (world) => world.assign("team", "nobody")],
    ["its namespace loses the Tenant", "grant", (world) => world.assign("team", "nobody")],
    ["its Tenant is narrowed to other groups", "claim", (world) => world.tenant("red", { groups: [red] })],
    ["its Tenant is narrowed to other groups", "grant", (world) => world.tenant("red", { groups: [red] })],
    ["its Tenant does not permit the adoption", "claim", (world) => world.tenant("red", { adopt: [] })],
    ["its Tenant is deleted", "claim", ({ scenario }) => scenario.kube.removeCluster({ kind: "Tenant", name: "red" })],
    ["it is deleted", "claim", ({ scenario }) => scenario.kube.remove(claim("team"))],
    ["the use of its parent is granted no longer", "below", ({ scenario }) => scenario.kube.apply(lent([]))],
  ])("%s (%s)", async (_, what, change) => {
    const world = await conflict(what);
    change(world);
    await world.scenario.pass(atOnceMs);
    expect(world.reasonOf(manifests[what]("other", world))).toBe("Available");
  });
});

it("an object that waits for a grant continues at once when its namespace is added", async () => {
  const world = new TwoTenants();
  const { kube } = world.scenario;
  const lent = (allowedNamespaces: readonly string[]): Manifest => {
    const { spec, ...rest } = group("lent", "lent", shared, "other");
    return { ...rest, spec: { ...spec, allowedNamespaces: [...allowedNamespaces] } };
  };
  const { spec, ...rest } = group("below", "below", shared);
  const { parentUid: _, ...others } = spec as { readonly parentUid: string };
  const below = { ...rest, spec: { ...others, parentRef: { name: "lent", namespace: "other" } } };
  kube.apply(lent([]));
  kube.apply(below);
  await world.until("ReferenceNotGranted", [below]);
  await world.until("Available", [lent([])]);
  kube.apply(lent(["team"]));
  await world.scenario.pass(atOnceMs);
  expect(world.reasonOf(below)).toBe("Available");
});

describe("the work for an object does not depend on how many others cannot have what it wants", () => {
  const count = 150;
  const holder = group("holder", "taken");

  it.each<[string, (index: number, uid: string) => Manifest]>([
    ["a name that is taken", (index) => group(`want-${index}`, "taken")],
    [
      "the uid of another object's resource",
      (index, uid) => ({
        kind: "Group",
        name: `want-${index}`,
        namespace,
        spec: { parentUid: root, name: "taken", uid, policy: { ...policy, adoption: "IfExists", management: "Full" } },
      }),
    ],
  ])("%s", async (_, manifest) => {
    const scenario = new Scenario();
    scenario.kube.apply(holder);
    await scenario.until("Ready", () => readyOf(scenario, holder)?.status === "True");
    const status = scenario.kube.find("Group", "holder")?.status as Status | undefined;
    const uid = status?.uid ?? "";
    const before = scenario.process.reconciles;
    for (let index = 0; index < count; index += 1) {
      scenario.kube.apply(manifest(index, uid));
      await scenario.pass(100);
    }
    await scenario.until("Conflict", () =>
      Array.from({ length: count }, (__, index) => readyOf(scenario, manifest(index, uid))?.reason).every(
        (reason) => reason === "Conflict",
      ),
    );
    const each = (scenario.process.reconciles - before) / count;
    console.info(`${each} reconciles for an object`);
    expect(each).toBeLessThanOrEqual(2);
  });
});
