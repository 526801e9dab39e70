import { writeFile } from "node:fs/promises";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import { isReady, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { inWorld, type World } from "#test/monitoring/operator-scenarios.ts";
import { permissiveTenant, tenantRef } from "#test/support/harness/tenants.ts";
import { recordedObjects, type RecordedObject } from "./recorded-objects.ts";

const usage = `Usage: npm run record:objects

Brings objects into the states that GitOps tools tell apart, with a real operator, and records them in
test/gitops/recorded-objects.json. The tests of the health checks evaluate them. It takes about half a minute.
`;

readCommandLine({ name: "record:objects", usage }, (args) => (args.length > 0 ? "help" : {}));

const controlPlane = await startControlPlane();
try {
  await inWorld(controlPlane, record);
} finally {
  await controlPlane.stop();
}
process.exit();

async function record({ system, kube, startOperator }: World): Promise<void> {
  const found: RecordedObject[] = [];
  const keep = (state: string, object: KubeObject | undefined) => {
    if (object === undefined) throw new Error(`${state}: the object does not exist`);
    Reflect.deleteProperty(object.metadata, "managedFields");
    found.push({ state, object });
  };
  const until = async (state: string, ref: ObjectRef, wanted: (object: KubeObject | undefined) => boolean) =>
    keep(state, await system.waitFor(ref, wanted));
  const group = (name: string, spec: object = {}) =>
    musterObject("Group", "team", name, { parentUid: system.root, ...spec });
  const identity = musterObject("Identity", "team", "ci", {
    groupRef: { name: "shop" },
    claimMatch: { issuer: "https://issuer.example", subject: "ci" },
  });
  const roleBinding = (name: string, spec: object = {}) =>
    musterObject("RoleBinding", "team", name, {
      groupRef: { name: "shop" },
      identityRef: { name: "ci" },
      roleRef: { name: "viewer" },
      ...spec,
    });

  const fresh = await kube.apply(group("shop"));
  keep("applied, and not seen by the operator yet", fresh);
  await startOperator();
  await until("Ready", fresh, isReady);
  for (const object of [identity, roleBinding("ci")]) {
    await kube.apply(object);
    await until("Ready", object, isReady);
  }
  await until("Ready", tenantRef("test"), isReady);

  const lost = group("lost");
  await kube.apply({ ...lost, spec: { parentRef: { name: "missing" } } });
  await until("waiting for another object", lost, isUnready("ReferenceNotFound"));
  const denied = roleBinding("denied", { roleRef: { name: "owner" } });
  await kube.apply(denied);
  await until("denied by the Tenant", denied, isUnready("TenantDenied"));
  const expired = roleBinding("expired", { roleRef: { name: "editor" }, expiresAt: "2026-01-01T00:00:00Z" });
  await kube.apply(expired);
  await until("expired", expired, isUnready("Expired"));
  const paused = group("paused");
  await kube.apply({ ...paused, metadata: { ...paused.metadata, annotations: { "iam.muster.dev/paused": "true" } } });
  await until("paused", paused, isUnready("Paused"));
  const observed = group("observed", { policy: { management: "Observe" } });
  await kube.apply(observed);
  await until("observed, and not on the platform", observed, isUnready("ReferenceNotFound"));
  const twin = group("twin", { name: "shop" });
  await kube.apply(twin);
  await until("in conflict with another object", twin, isUnready("Conflict"));

  await kube.apply(permissiveTenant("other", { namespaces: ["elsewhere"], groups: ["0".repeat(40)], roles: [] }));
  await until("a Tenant with a group that the operator may not use", tenantRef("other"), isUnready("TenantDenied"));

  await Promise.all(system.operators.map((operator) => operator.stop()));
  await kube.patch(fresh, { spec: { description: "changed" } });
  keep("changed, and not seen by the operator yet", await kube.get(fresh));
  await writeFile(recordedObjects, `${JSON.stringify(found, undefined, 2)}\n`);
  process.stdout.write(`${found.length} objects recorded\n`);
}
