import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "./kube-client.ts";

const name = "last-of-suite";
const apiVersion = "admissionregistration.k8s.io/v1";
const deadlineMs = 60_000;
/** What the policies are for: nobody else has it, so that it does not matter when they are forgotten. */
const probe = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
const matchConstraints = {
  resourceRules: [
    {
      apiGroups: [""],
      apiVersions: ["v1"],
      operations: ["CREATE"],
      resources: ["configmaps"],
      resourceNames: [name],
    },
  ],
};

/** A type of admission policies, with one that changes nothing but the probe. */
interface Type {
  /** Of the keys of etcd. */
  readonly keys: RegExp;
  readonly policy: KubeObject;
  readonly binding: KubeObject;
  /** Whether the policy acts. @param outcome of the creation of the probe */
  readonly acts: (outcome: KubeObject | Error) => boolean;
}

const validating: Type = {
  keys: /^\/registry\/validatingadmissionpolic/,
  policy: {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: { matchConstraints, validations: [{ expression: "false", message: name }] },
  },
  binding: {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  },
  acts: (outcome) => outcome instanceof Error && outcome.message.includes(`ValidatingAdmissionPolicy '${name}'`),
};

const mutating: Type = {
  keys: /^\/registry\/mutatingadmissionpolic/,
  policy: {
    apiVersion,
    kind: "MutatingAdmissionPolicy",
    metadata: { name },
    spec: {
      matchConstraints,
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [
        { patchType: "ApplyConfiguration", applyConfiguration: { expression: `Object{data: {"${name}": "true"}}` } },
      ],
    },
  },
  binding: {
    apiVersion,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name },
  },
  acts: (outcome) => !(outcome instanceof Error) && outcome["data"]?.[name] === "true",
};

/**
 * Returns once the API server has forgotten the admission policies that were deleted from etcd. It learns changes of policies, and
 * of their bindings, in the order in which they happened: once it acts by a later policy, it does not know the earlier ones
 * any longer. That policy remains; it matches nothing that anybody else creates.
 * @param deleted keys of etcd
 * @throws {Error} if that takes longer than a minute
 */
export async function policiesForgotten(admin: KubeClient, deleted: readonly string[]): Promise<void> {
  // A policy that forbids would hide what the other one changes.
  for (const type of [mutating, validating]) {
    if (!deleted.some((key) => type.keys.test(key))) continue;
    await admin.apply(type.policy);
    await admin.apply(type.binding);
    const deadline = performance.now() + deadlineMs;
    while (!type.acts(await admin.create(probe, { dryRun: true }).catch((error: Error) => error))) {
      if (performance.now() > deadline)
        throw new Error(`the API server does not act by a new ${type.policy.kind} within ${deadlineMs / 1000} s`);
      await sleep(50);
    }
  }
}

/**
 * Whether the API server has ever had an admission policy with parameters. When the last one is deleted it stops to watch their
 * kind, and does not begin again for the next policy: that one then acts by the parameters of the earlier one, or by none.
 * @param folder of the control plane
 */
export async function hadParameters(folder: string): Promise<boolean> {
  return (await readFile(join(folder, "kube-apiserver.log"), "utf8")).includes("informer started for");
}
