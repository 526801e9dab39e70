import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithControlPlane } from "#test/control-plane/describe-with-control-plane.ts";
import { loadOperatorRbac } from "#test/deploy/operator-rbac.ts";
import { differencesFromPlatform, hasMarker, withoutMarker } from "#test/harness/comparison.ts";
import { examples } from "#test/harness/examples.ts";
import { type Operator, System } from "#test/harness/system.ts";
import { ref } from "#test/harness/muster-objects.ts";

const flags = ["--resync", "2s", "--lease-duration", "5s", "--log-level", "debug"];

describeWithControlPlane("the whole story, as a person would live it", (controlPlane) => {
  let system: System;
  let operator: Operator;

  beforeAll(async () => {
    system = await System.start({
      controlPlane: controlPlane(),
      namespaces: ["shop", "team", "leaving"],
      rbac: await loadOperatorRbac(),
    });
    operator = await system.startOperator(flags);
  });
  afterAll(() => system?.stop());

  it("a tree that is applied in reverse order becomes Ready", async () => {
    const { admin } = system.controlPlane;
    const objects = await examples(system.root);
    for (const object of objects.toReversed()) await admin.apply(object);
    for (const object of objects) await system.ready(object);
    expect(await differencesFromPlatform(system)).toEqual([]);
  });

  it("the status names what exists, which carries the marker in its description", async () => {
    const group = await system.ready(ref("Group", "shop", "checkout"));
    const parent = await system.ready(ref("Group", "shop", "shop"));
    expect(group["status"]).toMatchObject({ parentUid: parent["status"].uid, observedGeneration: 1 });
    const row = await system.admin.get("groups", group["status"].uid);
    expect(hasMarker(row.description)).toBe(true);
    expect(withoutMarker(row.description)).toBe("Carts, orders and payments");
  });

  it("SIGTERM ends the operator with exit code 0", async () => {
    await operator.process.stop();
    expect(operator.process.exitCode).toBe(0);
  });
});
