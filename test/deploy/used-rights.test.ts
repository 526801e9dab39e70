import { expect, it } from "vitest";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { examples } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { System } from "#test/support/harness/system.ts";
import { loadOperatorRbac } from "./operator-rbac.ts";

const user = "system:serviceaccount:muster-system:muster";

describeWithControlPlane(
  "the rights that the operator is deployed with",
  (controlPlane) => {
    it("are all that it needs, and it uses each of them", async () => {
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
      // It counts an event that comes again; nothing here happens twice.
      used.add("patch events.events.k8s.io");
      const granted = rbac({ namespace: "muster-system", name: "muster" }, ["shop"]).flatMap(rightsOf);
      expect([...used].toSorted()).toEqual([...new Set(granted)].toSorted());
    });
  },
  { audit: true },
);

function rightsOf(role: KubeObject): string[] {
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
