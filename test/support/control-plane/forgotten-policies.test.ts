import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { describeWithControlPlane } from "./describe-with-control-plane.ts";
import { EtcdKeys } from "./etcd-keys.ts";
import { hadParameters, policiesForgotten } from "./forgotten-policies.ts";
import type { KubeClient, KubeObject } from "./kube-client.ts";
import { Snapshot } from "./snapshot.ts";

const apiVersion = "admissionregistration.k8s.io/v1";
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
};
const configMap = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
});
const named = (kind: string, spec: object) => ({ apiVersion, kind, metadata: { name: "of-a-suite" }, spec });
const policies = {
  validating: [
    named("ValidatingAdmissionPolicy", { matchConstraints, validations: [{ expression: "false" }] }),
    named("ValidatingAdmissionPolicyBinding", { policyName: "of-a-suite", validationActions: ["Deny"] }),
  ],
  mutating: [
    named("MutatingAdmissionPolicy", {
      matchConstraints,
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [
        { patchType: "ApplyConfiguration", applyConfiguration: { expression: 'Object{data: {"changed": "true"}}' } },
      ],
    }),
    named("MutatingAdmissionPolicyBinding", { policyName: "of-a-suite" }),
  ],
};

/** Whether a new ConfigMap is neither refused nor changed. */
const isUntouched = async (admin: KubeClient) =>
  admin.create(configMap("any"), { dryRun: true }).then(
    (created) => created["data"] === undefined,
    () => false,
  );

describeWithControlPlane("a control plane that had admission policies", (controlPlane) => {
  it.each(Object.entries(policies))("does not act by them once they are forgotten: %s", async (_, objects) => {
    const { admin, folder } = controlPlane();
    const etcd = new EtcdKeys(folder);
    const snapshot = await Snapshot.of(etcd);
    for (const object of objects) await admin.apply(object);
    while (await isUntouched(admin)) await sleep(20);
    const deleted = await snapshot.restore();
    await policiesForgotten(admin, deleted);
    expect(await isUntouched(admin)).toBe(true);
    await snapshot.restore();
    expect(await isUntouched(admin)).toBe(true);
    await etcd.close();
  });

  it("is known to have had one with parameters", async () => {
    const { admin, folder } = controlPlane();
    expect(await hadParameters(folder)).toBe(false);
    await admin.apply(configMap("parameters"));
    const [policy, binding] = policies.validating;
    const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
    const paramRef = { name: "parameters", namespace: "default", parameterNotFoundAction: "Deny" };
    await admin.apply({ ...policy, spec: { ...policy?.spec, paramKind } } as KubeObject);
    await admin.apply({ ...binding, spec: { ...binding?.spec, paramRef } } as KubeObject);
    while (await isUntouched(admin)) await sleep(20);
    expect(await hadParameters(folder)).toBe(true);
  });
});
