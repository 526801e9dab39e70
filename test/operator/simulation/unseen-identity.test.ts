import { describe, expect, it } from "vitest";
import type { Condition } from "#src/api/condition.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, root, viewer } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

// No list of the platform has shown the identity yet: a process that has just started lists what an object needs.

const audits = (name = "audits", spec: object = {}): Manifest => ({
  kind: "RoleBinding",
  name,
  spec: {
    groupUid: root,
    identityUid: auditor,
    roleRef: { name: "viewer" },
    policy: { management: "Full", drift: "Correct" },
    ...spec,
  },
});

const grant = {
  uid: `${root}/eeeeeeeeeeeeeeee`,
  identity: { uid: auditor, name: "" },
  role: { uid: viewer, name: "viewer" },
};

/** Counts the reads of single identities. */
class Unseen {
  readonly scenario = new Scenario();
  reads = 0;

  /** @param owner the operator that assumes the identity */
  constructor(owner?: string) {
    const { platform } = this.scenario;
    this.record(owner);
    platform.fault = (call) => {
      if (call === "get identities") this.reads += 1;
      return undefined;
    };
  }

  record(owner: string | undefined): void {
    const description = withRecordedOwner("", owner);
    this.scenario.platform.setInitial("identities", { uid: auditor, name: "auditor", description });
  }

  ready({ kind, name }: Manifest): Condition | undefined {
    const status: { conditions?: Condition[] } | undefined = this.scenario.kube.find(kind, name)?.status;
    return status?.conditions?.find(({ type }) => type === "Ready");
  }

  async until(reason: string, ...objects: readonly Manifest[]): Promise<void> {
    await this.scenario.until(reason, () => objects.every((one) => this.ready(one)?.reason === reason));
  }

  get grants(): readonly string[] {
    return this.scenario.platform.createdIn("roleBindings").map(({ uid }) => uid);
  }
}

describe("an identity that no list has shown", () => {
  it("gets no role if another operator assumes it", async () => {
    const unseen = new Unseen("another-cluster");
    unseen.scenario.kube.apply(audits());
    await unseen.until("TenantDenied", audits());
    expect(unseen.ready(audits())?.message).toContain("is a credential");
    expect(unseen.grants).toEqual([]);
  });

  it("keeps a role binding that another operator has, which no object takes over", async () => {
    const unseen = new Unseen("another-cluster");
    unseen.scenario.platform.set("roleBindings", grant);
    unseen.scenario.kube.apply(audits());
    await unseen.until("TenantDenied", audits());
    unseen.scenario.kube.remove(audits());
    await unseen.scenario.until("deleted", () => unseen.scenario.kube.objects().length === 0);
    expect(unseen.grants).toEqual([grant.uid]);
  });

  it.each([
    ["is deleted", async ({ scenario }: Unseen) => scenario.kube.remove(audits())],
    [
      "expires",
      async ({ scenario }: Unseen) =>
        scenario.kube.apply(audits("audits", { expiresAt: new Date(scenario.clock.now() - 1).toISOString() })),
    ],
  ])(
    "keeps its role binding when the object of that %s after an operator has taken the identity over",
    async (_, end) => {
      const unseen = new Unseen();
      unseen.scenario.kube.apply(audits());
      await unseen.until("Available", audits());
      const { grants } = unseen;
      unseen.record("another-cluster");
      await unseen.scenario.restart();
      await end(unseen);
      await unseen.scenario.pass(60_000);
      expect(unseen.grants).toEqual(grants);
    },
  );

  it("is read once, whatever the number of objects that bind it, and gets its roles if it is nobody's", async () => {
    const unseen = new Unseen();
    const groups: readonly Manifest[] = Array.from({ length: 20 }, (_, index) => ({
      kind: "Group",
      name: `group-${index}`,
      spec: {
        parentUid: root,
        undeclared: "Report",
        policy: { management: "Full", drift: "Correct", adoption: "Never" },
      },
    }));
    const bindings = groups.map(({ name }) => audits(name, { groupUid: undefined, groupRef: { name } }));
    for (const one of [...groups, ...bindings]) unseen.scenario.kube.apply(one);
    await unseen.until("Available", ...bindings);
    expect(unseen.grants).toHaveLength(20);
    expect(unseen.reads).toBe(1);
    unseen.scenario.process.reconcileAll();
    await unseen.scenario.pass(60_000);
    expect(unseen.reads).toBe(1);
  });
});
