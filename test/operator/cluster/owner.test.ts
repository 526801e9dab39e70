import { expect, it } from "vitest";
import { recordedOwner, withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";

describeWithSystem("an operator whose identity records another owner", (system) => {
  it("writes nothing, names both owners, and continues once the identity is its own again", async () => {
    const { admin, controlPlane, identity, root } = system();
    const own = (await admin.get("identities", identity)).description;
    await admin.update("identities", identity, { description: withRecordedOwner("", "another-cluster") });
    const before = await admin.list("groups");
    const group = musterObject("Group", "team", "group", { parentUid: root });
    await controlPlane.admin.apply(group);
    const shown = await system().waitFor(group, isUnready("OwnerMismatch"));
    const message = conditionOf(shown, "Ready")?.message ?? "";
    expect(message).toContain("another-cluster");
    expect(message).toContain(recordedOwner(own));
    expect(await admin.list("groups")).toEqual(before);
    const tenant = await system().waitFor(tenantRef("test"), isUnready("OwnerMismatch"));
    expect(conditionOf(tenant, "Ready")?.message).toContain("another-cluster");
    await admin.update("identities", identity, { description: own });
    await system().ready(group);
    await system().ready(tenantRef("test"));
  });
});
