import { expect, it } from "vitest";
import { TrafficCounter, trafficBetween } from "#test/support/harness/traffic.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { examples } from "#test/support/harness/examples.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { everyKind, plantedClientSecret, secretsOfEveryKind, tenantOfEveryKind } from "./every-kind.ts";
import type { LogLine } from "#test/support/harness/muster-process.ts";

const options = { audit: true, namespaces: ["shop"], tenants: tenantOfEveryKind };
/** The objects of `everyKind` of which `examples/` has none. Their group and identity are those of `examples/`. */
const moreKinds = (root: string) =>
  everyKind(root, "shop").filter(({ kind }) => kind !== "Group" && kind !== "Identity");

describeWithSystem(
  "calls and writes for new objects, counted at the servers",
  (system, operator) => {
    it("creates an object with one platform call and two Kubernetes writes, after four other calls", async () => {
      const { admin } = system().controlPlane;
      await operator().process.logged("credential works");
      await system().waitFor(tenantRef("test"), (tenant) => tenant?.metadata.finalizers !== undefined);
      const counter = new TrafficCounter(system().controlPlane, system());
      // The watch of the last kind begins after the credential works.
      const before = await counter.settled();
      const objects = await examples(system().root);
      for (const object of objects) await admin.apply(object);
      for (const object of objects) await system().ready(object);
      const traffic = trafficBetween(before, await counter.settled());
      expect(byMethod(traffic.platform)).toEqual({
        CreateGroup: 3,
        CreateIdentity: 2,
        CreateRoleBinding: 2,
        // The groups below the root, for all objects. After that list: the permissions, the roles and the root group.
        ListGroups: 1,
        ListRoleBindings: 1,
        ListRoles: 1,
        // The owner that the operator's identity records was read at the start.
        GetGroup: 1,
      });
      expect(traffic.kubernetes).toEqual({
        "patch groups.iam.muster.dev": 3,
        "patch groups.iam.muster.dev/status": 3,
        "patch identities.iam.muster.dev": 2,
        "patch identities.iam.muster.dev/status": 2,
        "patch rolebindings.iam.muster.dev": 2,
        "patch rolebindings.iam.muster.dev/status": 2,
        // One event for each object; a burst of events would be aggregated or dropped.
        "create events.events.k8s.io": objects.length,
        ...leaseWritesOf(traffic.leaseWrites),
      });
    });

    it("creates an object of each other kind with the same, and what its Secret takes", async () => {
      const { admin } = system().controlPlane;
      system().secrets.push(plantedClientSecret);
      for (const object of secretsOfEveryKind("shop")) await admin.apply(object);
      const counter = new TrafficCounter(system().controlPlane, system());
      const before = await counter.settled();
      const objects = moreKinds(system().root);
      for (const object of objects) await admin.apply(object);
      for (const object of objects) await system().ready(object);
      const traffic = trafficBetween(before, await counter.settled());
      expect(byMethod(traffic.platform)).toEqual({
        CreateRole: 1,
        CreateRoleBinding: 1,
        CreateIdentityProvider: 1,
        CreateAccountAssociation: 1,
        CreateGroupInvite: 1,
      });
      // The status of the Tenant counts the objects of the test before, a while after they became Ready.
      const { "patch tenants.iam.muster.dev/status": _counted, ...ofObjects } = traffic.kubernetes;
      const plurals = ["roles", "rolebindings", "identityproviders", "accountassociations", "groupinvites"];
      expect(ofObjects).toEqual({
        ...Object.fromEntries(
          plurals.flatMap((plural) =>
            ["", "/status"].map((part) => [`patch ${plural}.iam.muster.dev${part}`, 1] as const),
          ),
        ),
        // The provider's Secret: what it is, and its value. The invite's: whether it is empty, and what was written.
        "get secrets": 4,
        // A dry run, and the code.
        "patch secrets": 2,
        "create events.events.k8s.io": objects.length,
        ...leaseWritesOf(traffic.leaseWrites),
      });
    });
  },
  // A resync would read the lists again. The groups are new for as long as the tests run, however slow the machine is.
  { ...options, operatorFlags: ["--resync", "1h", "--settle-time", "60s"] },
);

describeWithSystem(
  "calls and writes at rest, counted at the servers",
  (system, operator) => {
    it("writes nothing at rest, and lists each collection and its permissions once per interval", async () => {
      const { process } = operator();
      const lastListed = (line: LogLine) => line.msg === "platform listed" && line["kind"] === "RoleBinding";
      const counter = new TrafficCounter(system().controlPlane, system());
      const { admin } = system().controlPlane;
      system().secrets.push(plantedClientSecret);
      const objects = [...(await examples(system().root)), ...moreKinds(system().root)];
      for (const object of [...secretsOfEveryKind("shop"), ...objects]) await admin.apply(object);
      const resyncEnds = () => process.logged(lastListed, process.log.length);
      // The status of the Tenant counts the objects, a moment after they became Ready.
      await system().waitFor(tenantRef("test"), (tenant) => {
        const counts: { ready: number }[] = tenant?.["status"]?.objects ?? [];
        return counts.reduce((sum, { ready }) => sum + ready, 0) === objects.length;
      });
      await resyncEnds();
      const before = await counter.read();
      for (let resyncs = 0; resyncs < 3; resyncs += 1) await resyncEnds();
      const traffic = trafficBetween(before, await counter.read());
      expect(byMethod(traffic.platform)).toEqual({
        ListGroups: 3,
        ListIdentities: 3,
        ListIdentityProviders: 3,
        ListAccountAssociations: 3,
        ListGroupInvites: 3,
        // Those below the root, and the operator's own role bindings and all roles: one read confirms the lists.
        ListRoleBindings: 6,
        ListRoles: 6,
        GetGroup: 3,
      });
      expect(traffic.kubernetes).toEqual(leaseWritesOf(traffic.leaseWrites));
    });
  },
  { ...options, operatorFlags: ["--resync", "3s", "--log-level", "debug"] },
);

/** The number of calls by the names of their methods. */
function byMethod(calls: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(calls).map(([name, count]) => [name.replace(/^.*\//, ""), count]));
}

/** The number of renewals of the Lease depends on the time only. */
function leaseWritesOf(count: number): Record<string, number> {
  return count === 0 ? {} : { "update leases.coordination.k8s.io": count };
}
