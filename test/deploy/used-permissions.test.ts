import { expect, it } from "vitest";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { loadOperatorRbac } from "./operator-rbac.ts";

const user = "system:serviceaccount:muster-system:muster";

describeWithControlPlane(
  "the permissions of the deployed operator",
  (controlPlane) => {
    it("are all used, and none is missing", async () => {
      const { admin } = controlPlane();
      const rbac = await loadOperatorRbac();
      const system = await System.start({ controlPlane: controlPlane(), namespaces: ["shop"], rbac });
      try {
        const operator = await system.startOperator();
        const objects = await examples(system.root);
        for (const object of objects) await admin.apply(object);
        for (const object of objects) await admin.waitFor(object, isReady);
        for (const object of objects) await admin.delete(object);
        for (const object of objects) await admin.waitUntilGone(object);
        await operator.process.stop();
      } finally {
        await system.stop();
      }

      const counts = (await controlPlane().requestCounts()).filter((row) => row.user === user);
      expect(counts.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
      const used = new Set(
        counts.map((row) => `${row.verb} ${row.resource}${row.subresource && `/${row.subresource}`}`),
      );
      // The operator patches an event that is repeated, and this test repeats none.
      used.add("patch events.events.k8s.io");
      const granted = rbac({ namespace: "muster-system", name: "muster" }, ["shop"]).flatMap(permissionsOf);
      expect([...used].toSorted()).toEqual([...new Set(granted)].toSorted());
    });
  },
  { audit: true },
);

function permissionsOf(role: KubeObject): string[] {
  const rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] = role["rules"] ?? [];
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => {
        const [plural, subresource] = resource.split("/");
        const name = `${group === "" ? plural : `${plural}.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
        return verbs.map((verb) => `${verb} ${name}`);
      }),
    ),
  );
}
