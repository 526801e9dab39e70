import { expect, it } from "vitest";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import { System } from "#test/support/harness/system.ts";
import { permissiveTenant, tenantRef } from "#test/support/harness/tenants.ts";

const nowhere = "0".repeat(40);

const settingError = (process: MusterProcess, flag: string) =>
  process.logged((line) => line.level === "error" && line["flag"] === flag);

describeWithControlPlane("the operator's settings are checked at start", (controlPlane) => {
  it("reports an unknown role, and a root group or an identity that cannot be used", async () => {
    const system = await System.start({ controlPlane: controlPlane() });
    try {
      const wrong = await system.startOperator(["--allowed-role", "viewer,emperor", "--root-group", nowhere]);
      expect(await settingError(wrong.process, "--allowed-role")).toMatchObject({ roles: ["emperor"] });
      expect(await settingError(wrong.process, "--root-group")).toMatchObject({ groups: [nowhere] });

      const identity = `${system.root}/0123456789abcdef`;
      const unknown = await system.startOperator(["--lease-name", "another"], { identity });
      expect(await settingError(unknown.process, "--identity")).toMatchObject({
        problem: { kind: "credential", cause: "exchange" },
      });
      expect(unknown.process.running).toBe(true);
    } finally {
      await system.stop();
    }
  });
});

describeWithSystem(
  "a Tenant that permits more than the operator's settings",
  (system) => {
    it("is denied what they do not permit", async () => {
      const { admin } = system().controlPlane;
      const inside = musterObject("Group", "bounded", "inside", { parentUid: system().root });
      const outside = musterObject("Group", "bounded", "outside", { parentUid: nowhere });
      const elsewhere = musterObject("Group", "forbidden", "elsewhere", { parentUid: system().root });
      const owner = musterObject("RoleBinding", "bounded", "owner", {
        groupRef: { name: "inside" },
        identityUid: `${system().root}/0123456789abcdef`,
        roleRef: { name: "owner" },
      });
      for (const object of [inside, outside, elsewhere, owner]) await admin.apply(object);
      await system().ready(inside);
      await system().waitFor(outside, isUnready("TenantDenied"));
      const denied = await system().waitFor(owner, isUnready("TenantDenied"));
      expect(conditionOf(denied, "Ready")?.message).toContain("owner");
      expect(conditionOf(await admin.get(elsewhere), "Ready")).toBeUndefined();
      const reported = (tenant: KubeObject | undefined) => tenant?.["status"]?.namespaces !== undefined;
      expect((await system().waitFor(tenantRef("generous"), reported))?.["status"].namespaces).toBe(1);
    });
  },
  {
    namespaces: ["bounded", "forbidden"],
    operatorFlags: ["--allowed-namespace", "bounded"],
    tenants: (root, namespaces) => [
      permissiveTenant("generous", { namespaces, groups: [root, nowhere], roles: ["viewer", "owner"] }),
    ],
  },
);
