import { afterAll, beforeAll, expect, it } from "vitest";
import { ownerOf } from "#src/platform-client/owner-record.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { conditionOf, isReady, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { createOperatorIdentity, ownerIdOf } from "#test/support/harness/operator-identity.ts";
import { allowedRoles, operatorAccount, System } from "#test/support/harness/system.ts";
import { permissiveTenant, tenantRef } from "#test/support/harness/tenants.ts";

describeWithControlPlane("two operators of one cluster, with different classes", (controlPlane) => {
  let system: System;
  let group: string;
  const operators: Operator[] = [];
  const kube = () => system.controlPlane.admin;
  const claimMatch = { issuer: "https://issuer.example", subject: "robot" };
  const shop = ref("Group", "red", "shop");
  const robot = ref("Identity", "blue", "robot");
  const grant = ref("RoleBinding", "blue", "robot-views");

  beforeAll(async () => {
    const classes = ["red", "blue"] as const;
    system = await System.start({
      controlPlane: controlPlane(),
      namespaces: classes,
      tenants: (root, namespaces) =>
        namespaces.map((name) => {
          const tenant = permissiveTenant(name, { namespaces: [name], groups: [root], roles: allowedRoles });
          return { ...tenant, spec: { ...tenant["spec"], class: name } };
        }),
    });
    const account = { namespace: system.operatorNamespace, name: operatorAccount };
    for (const one of classes) {
      const owner = ownerOf(await ownerIdOf(system.controlPlane), one);
      const audience = new URL(system.platformUrl).hostname;
      const identity = await createOperatorIdentity(system.admin, system.root, system.controlPlane, account, {
        audience,
        owner,
      });
      operators.push(
        await system.startOperator(["--class", one, "--lease-name", `muster-${one}`, "--resync", "1s"], { identity }),
      );
    }
  });
  afterAll(() => system?.stop());

  it("both lead, each with a Lease of its own, and serve their own Tenants", async () => {
    const { root } = system;
    await Promise.all(operators.map(({ process }) => process.logged("leading")));
    await kube().apply(musterObject("Group", "red", "shop", { parentUid: root }));
    group = (await system.ready(shop))["status"].uid;
    await kube().apply(musterObject("Identity", "blue", "robot", { groupUid: group, claimMatch }));
    await kube().apply(
      musterObject("RoleBinding", "blue", "robot-views", {
        groupUid: group,
        identityRef: { name: "robot" },
        roleRef: { name: "viewer" },
      }),
    );
    expect((await system.ready(grant))["status"].tenant).toBe("blue");
  });

  it("do not report each other's resources, and report what neither declares", async () => {
    const created = await system.admin.create("identities", group, {
      name: "stranger",
      claimMatch: { ...claimMatch, subject: "stranger" },
    });
    const shown = await system.waitFor(shop, (one) => one?.["status"]?.undeclared !== undefined);
    expect(shown?.["status"].undeclared.map(({ uid }: { readonly uid: string }) => uid)).toEqual([created.uid]);
  });

  it("leave each other's resources alone when a namespace changes its Tenant, and go on when it changes back", async () => {
    const before = await system.admin.list("identities", group);
    const { uid } = (await system.ready(robot))["status"];
    const select = (tenant: string, namespaces: readonly string[]) =>
      kube().patch(tenantRef(tenant), { spec: { namespaces } });
    await select("blue", ["elsewhere"]);
    await select("red", ["red", "blue"]);
    const shown = await system.waitFor(robot, isUnready("Conflict"));
    expect(conditionOf(shown, "Ready")?.message).toContain("another Muster installation");
    expect(await system.admin.list("identities", group)).toEqual(before);
    await select("red", ["red"]);
    await select("blue", ["blue"]);
    const again = await system.waitFor(robot, (one) => isReady(one) && one?.["status"].tenant === "blue");
    expect(again?.["status"].uid).toBe(uid);
    expect(await system.admin.list("identities", group)).toEqual(before);
  });
});
