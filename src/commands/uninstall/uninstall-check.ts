import { finalizer } from "#src/api/custom-resource.ts";
import { resourceKindOf } from "#src/api/resource-kind.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { defineCommand } from "#src/commands/command.ts";
import { operatorPlaces } from "#src/commands/reader/operator-place.ts";
import { operatorPlaceSettings } from "#src/commands/reader/settings.ts";
import * as settings from "#src/commands/settings/settings.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { KubeClient } from "#src/kube/client.ts";
import { readConnection, serviceAccountDirectory } from "#src/kube/config.ts";
import { isNotFound } from "#src/kube/errors.ts";
import type { KubeApi } from "#src/kube/api.ts";
import { listAll } from "#src/kube/list-all.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { systemClock as clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import {
  type CheckedObject,
  type Guarded,
  GuardedCount,
  needsOperator,
  servesObject,
  uninstallProblem,
} from "./guarded-objects.ts";
import { stopOperator } from "./stop-operator.ts";

/** API servers notice within this time that an admission policy was deleted. */
const policyDelayMs = seconds(3);

const admissionResource = (plural: string, kind: string): ResourceKind => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  plural,
  kind,
});

/** In the order in which they are deleted: a policy without a binding does nothing. */
const finalizerPolicyResources = [
  admissionResource("mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"),
  admissionResource("mutatingadmissionpolicies", "MutatingAdmissionPolicy"),
];

export default defineCommand({
  summary: "check that no object needs the operator any more, before it is uninstalled",
  settings: {
    class: settings.optional(
      { ...settings.text, placeholder: "CLASS" },
      "The class of the operator to uninstall. Objects of other classes do not matter. (default: none)",
    ),
    finalizerPolicy: settings.optional(
      settings.text,
      "The name of the admission policy that adds the finalizer to new objects. It is deleted if no object needs the operator.",
    ),
    deployment: settings.optional(
      { ...settings.text, placeholder: "NAME" },
      "The Deployment of the operator. If no object needs the operator, it is scaled to 0 replicas, and the command waits until the Lease is released. Another operator can then lead at once. (default: the operator goes on)",
    ),
    ...operatorPlaceSettings,
    serviceAccountDirectory: settings.withDefault(
      settings.file,
      serviceAccountDirectory,
      "Directory where the pod's service account is mounted: ca.crt, namespace and token.",
    ),
    kubeconfig: settings.optional(
      settings.file,
      "The kubeconfig to use. (default: the pod's service account; with --context, the user's kubeconfig)",
    ),
    context: settings.optional(settings.text, "The context of the kubeconfig. (default: its current context)"),
  },
  run: async (values, { env, signal, stdout, stderr }) => {
    const connection = await readConnection({
      env,
      clock,
      serviceAccountDirectory: values.serviceAccountDirectory,
      ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
      ...(values.context === undefined ? {} : { context: values.context }),
    });
    const kube = new KubeClient({ connection, connections: 1, clock });
    try {
      const { class: operatorClass = "" } = values;
      await check(kube, operatorClass, signal);
      if (values.finalizerPolicy !== undefined) {
        await deleteFinalizerPolicy(kube, values.finalizerPolicy, signal);
        // An object that was created before the API servers noticed has the finalizer.
        await clock.sleep(policyDelayMs, signal);
        await check(kube, operatorClass, signal);
      }
      if (values.deployment !== undefined) {
        const { namespace, name } = operatorPlaces(values, undefined, undefined)(operatorClass);
        const operator = { namespace, deployment: values.deployment, leaseName: name };
        const warning = await stopOperator(kube, operator, clock, signal);
        if (warning !== undefined) stderr.write(`${warning}\n`);
      }
      stdout.write(
        `No object needs the operator: it can be uninstalled. Tenants stay, with the finalizer ${finalizer}: delete them before, or later with another operator.\n`,
      );
    } finally {
      await kube.close();
    }
  },
});

/** @throws {Error} that names the objects which need the operator. */
async function check(kube: KubeApi, operatorClass: string, signal: AbortSignal): Promise<void> {
  const classes = new Map<string, string>();
  const tenants = new GuardedCount(tenantDefinition.plural, needsOperator(operatorClass));
  for await (const tenant of listAll<CheckedObject>(kube, resourceKindOf(tenantDefinition), signal)) {
    classes.set(tenant.metadata.name, tenant.spec?.class ?? "");
    tenants.add(tenant);
  }
  const guarded: Guarded[] = [];
  for (const { definition } of kinds) {
    const objects = new GuardedCount(definition.plural, servesObject(operatorClass, classes));
    for await (const object of listAll<CheckedObject>(kube, resourceKindOf(definition), signal)) objects.add(object);
    guarded.push(objects.result);
  }
  const problem = uninstallProblem([...guarded, tenants.result]);
  if (problem !== undefined) throw new Error(problem);
}

async function deleteFinalizerPolicy(kube: KubeApi, name: string, signal: AbortSignal): Promise<void> {
  for (const resource of finalizerPolicyResources)
    await kube.delete(resource, undefined, name, { signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
