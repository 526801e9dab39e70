import { beforeAll, expect, it } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";

describeWithSystem("the tenant boundary, and unresolved references", (system, operator) => {
  const kube = () => system().controlPlane.admin;
  const binding = (name: string, spec: object) =>
    musterObject("RoleBinding", "team", name, {
      groupRef: { name: "group" },
      identityRef: { name: "identity" },
      ...spec,
    });
  const messageOf = (object: Parameters<typeof conditionOf>[0]) => conditionOf(object, "Ready")?.message ?? "";
  let outsideGroup: string;

  beforeAll(async () => {
    outsideGroup = (await system().admin.call("POST", "groups", { name: "elsewhere" })).uid;
    const objects = [
      musterObject("Group", "team", "group", { parentUid: system().root }),
      musterObject("Identity", "team", "identity", {
        groupRef: { name: "group" },
        claimMatch: { issuer: "https://issuer.example", subject: "someone" },
      }),
    ];
    for (const object of objects) await kube().apply(object);
    for (const object of objects) await system().ready(object);
  });

  it("denies a role that is not allowed, by name and by uid", async () => {
    const owner = (await system().admin.list("roles")).find((role) => role.name === "owner");
    const denied = [
      binding("owner-by-name", { roleRef: { name: "owner" } }),
      binding("owner-by-uid", { roleUid: owner?.uid }),
    ];
    for (const object of denied) await kube().apply(object);
    for (const object of denied) {
      const shown = await system().waitFor(object, isUnready("TenantDenied"));
      expect(messageOf(shown)).toContain("--allowed-role");
      expect(conditionOf(shown, "Stalled")?.status).toBe("True");
      await kube().delete(object);
      await system().gone(object);
    }
  });

  it("waits for a role that the platform does not have, and names the allowed roles", async () => {
    const unknown = binding("unknown-role", { roleRef: { name: "emperor" } });
    await kube().apply(unknown);
    const message = messageOf(await system().waitFor(unknown, isUnready("ReferenceNotFound")));
    expect(message).toContain('"emperor"');
    expect(message).toContain("viewer");
    await kube().delete(unknown);
    await system().gone(unknown);
  });

  it("waits for a referenced object, and resolves the reference once the object exists", async () => {
    const early = musterObject("Group", "team", "early", { parentRef: { name: "late" } });
    await kube().apply(early);
    const shown = await system().waitFor(early, isUnready("ReferenceNotFound"));
    expect(messageOf(shown)).toContain("Group late");
    expect(conditionOf(shown, "ReferencesResolved")?.status).toBe("False");
    await kube().apply(musterObject("Group", "team", "late", { parentUid: system().root }));
    await system().ready(early);
  });

  it("denies a parent outside of the root group, and the uid of a resource outside of it", async () => {
    const outside = musterObject("Group", "team", "outside", { parentUid: outsideGroup });
    await kube().apply(outside);
    expect(messageOf(await system().waitFor(outside, isUnready("TenantDenied")))).toContain("--root-group");

    const inside = await system().admin.create("groups", outsideGroup, { name: "inside" });
    const captured = musterObject("Group", "team", "captured", { parentUid: outsideGroup, uid: inside.uid });
    await kube().apply(captured);
    await system().waitFor(captured, isUnready("TenantDenied"));
    for (const object of [outside, captured]) {
      await kube().delete(object);
      await system().gone(object);
    }
    expect((await system().admin.get("groups", inside.uid)).name).toBe("inside");
    await system().admin.delete("groups", inside.uid);
  });

  it("denies a binding for an identity outside of the root group", async () => {
    const stranger = await system().admin.create("identities", outsideGroup, {
      name: "stranger",
      claimMatch: { issuer: "https://issuer.example", subject: "stranger" },
    });
    const stray = musterObject("RoleBinding", "team", "stray", {
      groupRef: { name: "group" },
      identityUid: stranger.uid,
      roleRef: { name: "viewer" },
    });
    await kube().apply(stray);
    await system().waitFor(stray, isUnready("TenantDenied"));
    await kube().delete(stray);
    await system().gone(stray);
    await system().admin.delete("identities", stranger.uid);
  });

  it("never manages the operator's own identity", async () => {
    const self = musterObject("Identity", "team", "self", {
      groupUid: system().root,
      uid: system().identity,
      claimMatch: { issuer: "https://issuer.example", subject: "usurper" },
    });
    await kube().apply(self);
    await system().waitFor(self, isUnready("Conflict"));
    await kube().delete(self);
    await system().gone(self);
    const identity = await system().admin.get("identities", system().identity);
    expect(identity["claimMatch"].subject).toBe("system:serviceaccount:muster-system:muster-operator");
  });

  it("changes nothing outside of the boundary, and makes no call that the platform rejects", async () => {
    expect(await differencesFromPlatform(system(), [outsideGroup])).toEqual([]);
    expect(operator().process.log.filter(({ msg }) => msg === "platform call failed")).toEqual([]);
  });
});
