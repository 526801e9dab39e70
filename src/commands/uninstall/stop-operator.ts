import type { CallOptions, KubeApi } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import { type Lease, leaseResource } from "#src/kube/lease-client.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";

/** The operator that is to be stopped. Its Deployment and its Lease are in one namespace. */
export interface StoppedOperator {
  readonly namespace: string;
  readonly deployment: string;
  readonly leaseName: string;
}

const deploymentResource: ResourceKind = { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" };

const pollMs = seconds(0.5);
/**
 * Longer than a pod of the operator has to end (20 s), and than its Lease is then held without being renewed (15 s). The Job of
 * the chart ends after 90 s.
 */
const patienceMs = seconds(45);

/**
 * Scales the operator to 0 replicas, and waits until it has released its Lease. Its Role must exist until then: an operator
 * that may not write the Lease cannot release it, and the next one waits until the Lease has expired. Deleting the Lease
 * would not help: without a Lease, nobody knows whether a request of an earlier leader can still take effect.
 *
 * Never throws because of a failed call: an operator that does not release its Lease must not keep anybody from
 * uninstalling it.
 * @returns why the next operator has to wait; undefined if it need not
 */
export async function stopOperator(
  kube: KubeApi,
  operator: StoppedOperator,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace, deployment } = operator;
  try {
    const body = { spec: { replicas: 0 } };
    await kube.patch(deploymentResource, namespace, deployment, body, { signal, subresource: "scale" });
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    // A Deployment that is gone already needs no scaling; its pods may still be ending.
    if (error.code !== 404)
      return `The Deployment ${namespace}/${deployment} was not scaled to 0 replicas: ${error.message}. The next operator waits until the Lease has expired, 15 s by default.`;
  }
  return waitForRelease(kube, operator, clock, signal);
}

async function waitForRelease(
  kube: KubeApi,
  { namespace, leaseName }: StoppedOperator,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = `${namespace}/${leaseName}`;
  const startedAt = clock.monotonic();
  let renewal: { readonly version: string | undefined; readonly seenAt: number } | undefined;
  for (;;) {
    const found = await readLease(kube, namespace, leaseName, { signal });
    const now = clock.monotonic();
    if (found instanceof KubeError) {
      if (found.code === 404) return undefined;
      if (found.code === 403 || now - startedAt >= patienceMs)
        return `The Lease ${name} cannot be read: ${found.message}. If it is held, the next operator waits until it has expired, 15 s by default.`;
    } else {
      const { holderIdentity = "", leaseDurationSeconds = 0 } = found.spec ?? {};
      if (holderIdentity === "") return undefined;
      const version = found.metadata.resourceVersion;
      if (renewal === undefined || renewal.version !== version) renewal = { version, seenAt: now };
      const held = `${holderIdentity}: the next operator waits until it has expired, ${leaseDurationSeconds} s.`;
      if (now - renewal.seenAt >= seconds(leaseDurationSeconds)) return `The Lease ${name} was not released by ${held}`;
      if (now - startedAt >= patienceMs) return `The Lease ${name} is still renewed by ${held}`;
    }
    await clock.sleep(pollMs, signal);
  }
}

/** @returns the failure of the call, too, which ends or repeats the wait */
async function readLease(
  kube: KubeApi,
  namespace: string,
  name: string,
  call: CallOptions,
): Promise<Lease | KubeError> {
  try {
    return await kube.get<Lease>(leaseResource, namespace, name, call);
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
}
