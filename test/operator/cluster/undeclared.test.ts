import { beforeAll, expect, it } from "vitest";
import type { KubeObject } from "#src/kube/object.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { conditionOf, musterObject, type MusterKind, ref } from "#test/support/harness/muster-objects.ts";

const events = { apiVersion: "events.k8s.io/v1", kind: "Event" };

describeWithSystem(
  "access that nobody declared",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const shop = ref("Group", "team", "shop");
    const uidOf = async (kind: MusterKind, name: string): Promise<string> =>
      (await system().ready(ref(kind, "team", name)))["status"].uid;
    const undeclaredOf = (object: KubeObject | undefined): { readonly uid: string }[] =>
      (object as { readonly status?: { readonly undeclared?: { readonly uid: string }[] } } | undefined)?.status
        ?.undeclared ?? [];
    const lists = (uid: string) => (object: KubeObject | undefined) =>
      undeclaredOf(object).some((one) => one.uid === uid);
    const metric = async (kind: string): Promise<number> => {
      const line = (await operator().metrics())
        .split("\n")
        .find((one) => one.startsWith(`muster_undeclared{kind="${kind}"}`));
      return Number(line?.split(" ").at(-1));
    };
    /** What a person does with the platform's own command line. */
    const grantOwner = async (): Promise<string> => {
      const owner = (await system().admin.list("roles")).find((role) => role.name === "owner");
      const [group, identityUid] = [await uidOf("Group", "shop"), await uidOf("Identity", "ci")];
      return (await system().admin.create("roleBindings", group, { identityUid, roleUid: owner?.uid })).uid;
    };
    /** The uids of the role bindings in the group. */
    const bindings = async () =>
      (await system().admin.list("roleBindings", await uidOf("Group", "shop"))).map(({ uid }) => uid);

    let granted: string;

    beforeAll(async () => {
      const objects = [
        musterObject("Group", "team", "shop", { parentUid: system().root }),
        musterObject("Identity", "team", "ci", {
          groupRef: { name: "shop" },
          claimMatch: { issuer: "https://issuer.example", subject: "ci" },
        }),
        musterObject("RoleBinding", "team", "ci-views", {
          groupRef: { name: "shop" },
          identityRef: { name: "ci" },
          roleRef: { name: "viewer" },
        }),
      ];
      for (const object of objects) await kube().apply(object);
      for (const object of objects) await system().ready(object);
    });

    it("is False, with the reason, in the condition AccessDeclared within one resync", async () => {
      const before = await system().waitFor(shop, (object) => conditionOf(object, "AccessDeclared")?.status === "True");
      expect(undeclaredOf(before)).toEqual([]);
      granted = await grantOwner();
      const object = await system().waitFor(shop, lists(granted));
      expect(conditionOf(object, "AccessDeclared")).toMatchObject({ status: "False", reason: "UndeclaredAccess" });
      expect(undeclaredOf(object)).toEqual([
        expect.objectContaining({ kind: "RoleBinding", identityUid: await uidOf("Identity", "ci"), role: "owner" }),
      ]);
      expect(conditionOf(object, "Ready")?.status).toBe("True");
    });

    it("is in an Event and in a metric", async () => {
      expect(await metric("RoleBinding")).toBeGreaterThanOrEqual(1);
      await expect
        .poll(async () =>
          (await kube().list(events, { namespace: "team" })).filter((event) => event["reason"] === "UndeclaredAccess"),
        )
        .toEqual([expect.objectContaining({ type: "Warning", note: expect.stringContaining(granted) as string })]);
    });

    it("is counted and named on the Tenant", async () => {
      const status = (object: KubeObject | undefined) =>
        (object as { readonly status?: { readonly undeclaredUids?: readonly string[] } } | undefined)?.status;
      await system().waitFor(tenantRef("test"), (object) => status(object)?.undeclaredUids?.includes(granted) === true);
    });

    it("is removed by Remove, and nothing else is", async () => {
      const declared = await uidOf("RoleBinding", "ci-views");
      await kube().patch(shop, { spec: { undeclared: "Remove" } });
      await kube().patch(tenantRef("test"), { spec: { undeclared: "Remove" } });
      await system().waitFor(shop, (object) => conditionOf(object, "AccessDeclared")?.status === "True");
      expect(await bindings()).toEqual([declared]);
      const line = await operator().process.logged(({ step }) => step === "removeUndeclared");
      expect(line).toMatchObject({ msg: "platform changed", name: "shop", uid: granted });
    });
  },
  { operatorFlags: ["--resync", "1s"] },
);
