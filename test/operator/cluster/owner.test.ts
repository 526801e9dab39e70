import { expect, it } from "vitest";
import { recordedOwner, withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";

describeWithSystem("the owner of an operator", (system, operator) => {
  it("keeps it from writing while its identity records another one: it names both, and continues once that is corrected", async () => {
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

  it("is in the log by the hash that its markers carry", async () => {
    const { admin, controlPlane, root } = system();
    const group = musterObject("Group", "team", "marked", { parentUid: root });
    await controlPlane.admin.apply(group);
    const { uid } = (await system().ready(group))["status"];
    const { ownerHash } = await operator().process.logged("leading");
    expect((await admin.get("groups", uid)).description).toMatch(new RegExp(`\\[muster:${String(ownerHash)}-`));
  });
});
