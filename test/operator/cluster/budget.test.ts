import { expect, it } from "vitest";
import { Counter, trafficBetween } from "#test/support/harness/traffic.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { examples } from "#test/support/harness/examples.ts";
import type { LogLine } from "#test/support/harness/muster-process.ts";

describeWithSystem(
  "what it costs, counted at the servers",
  (system, operator) => {
    const counter = () => new Counter(system().controlPlane, system());
    const byMethod = (calls: Readonly<Record<string, number>>) =>
      Object.fromEntries(Object.entries(calls).map(([name, count]) => [name.replace(/^.*\//, ""), count]));

    it("creating costs one call to the platform and two writes to Kubernetes an object, and five calls once", async () => {
      const { admin } = system().controlPlane;
      const before = await counter().read();
      const objects = await examples(system().root);
      for (const object of objects) await admin.apply(object);
      for (const object of objects) await system().ready(object);
      const traffic = trafficBetween(before, await counter().settled());
      expect(byMethod(traffic.platform)).toEqual({
        CreateGroup: 3,
        CreateIdentity: 2,
        CreateRoleBinding: 2,
        // Its own rights, the roles, whether the root can be read, and what is below it.
        Exchange: 1,
        ListRoleBindings: 1,
        ListRoles: 1,
        GetGroup: 1,
        ListGroups: 1,
      });
      expect(traffic.kubernetes).toEqual({
        "patch groups.iam.muster.dev": 3,
        "patch groups.iam.muster.dev/status": 3,
        "patch identities.iam.muster.dev": 2,
        "patch identities.iam.muster.dev/status": 2,
        "patch rolebindings.iam.muster.dev": 2,
        "patch rolebindings.iam.muster.dev/status": 2,
        // Told to people, and dropped where they are too many.
        "create events.events.k8s.io": objects.length,
        ...leaseWritesOf(traffic.leaseWrites),
      });
    });

    it("at rest nothing is written, and each collection is listed once an interval", async () => {
      const { process } = operator();
      const passEnds = (line: LogLine) => line.msg === "the platform was listed" && line["kind"] === "RoleBinding";
      const passIsOver = () => process.logged(passEnds, process.log.length);
      await passIsOver();
      const before = await counter().read();
      for (let passes = 0; passes < 3; passes += 1) await passIsOver();
      const traffic = trafficBetween(before, await counter().read());
      expect(byMethod(traffic.platform)).toEqual({ ListGroups: 3, ListIdentities: 3, ListRoleBindings: 3 });
      expect(traffic.kubernetes).toEqual(leaseWritesOf(traffic.leaseWrites));
    });
  },
  { audit: true, namespaces: ["shop"], operatorFlags: ["--resync", "3s", "--log-level", "debug"] },
);

/** The Lease is renewed by the clock, whatever else there is to do. */
function leaseWritesOf(count: number): Record<string, number> {
  return count === 0 ? {} : { "update leases.coordination.k8s.io": count };
}
