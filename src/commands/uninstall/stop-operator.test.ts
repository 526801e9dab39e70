import { beforeEach, expect, it } from "vitest";
import type { KubeApi, PatchOptions } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { Lease } from "#src/kube/lease-client.ts";
import type { ResourceKind } from "#src/kube/object.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { stopOperator } from "./stop-operator.ts";

const operator = { namespace: "muster-system", deployment: "muster-operator", leaseName: "muster-operator" };
const held = { holderIdentity: "pod-1_a", leaseDurationSeconds: 15 };
const never = new AbortController().signal;

/** The Deployment and the Lease of an operator. */
class FakeCluster {
  readonly scaled: string[] = [];
  reads = 0;
  lease: Lease["spec"] | KubeError = held;
  scaleFailure: KubeError | undefined;
  /** Whether each read sees another renewal. */
  renewed = false;

  patch = async (
    { plural }: ResourceKind,
    namespace: string,
    name: string,
    body: object,
    { subresource }: PatchOptions,
  ) => {
    if (this.scaleFailure !== undefined) throw this.scaleFailure;
    this.scaled.push(`${plural}/${subresource} ${namespace}/${name} ${JSON.stringify(body)}`);
  };

  get = async (_: ResourceKind, namespace: string, name: string): Promise<Lease> => {
    this.reads += 1;
    if (this.lease instanceof KubeError) throw this.lease;
    const resourceVersion = String(this.renewed ? this.reads : 1);
    const metadata = { namespace, name, resourceVersion };
    return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: this.lease ?? {} };
  };
}

const failure = (call: string, code: number, message: string) => new KubeError({ call, code, reason: "Test" }, message);

let clock: ManualClock;
let cluster: FakeCluster;
let outcome: { readonly warning: string | undefined } | undefined;

beforeEach(() => {
  clock = new ManualClock();
  cluster = new FakeCluster();
  outcome = undefined;
});

function start(signal = never): Promise<void> {
  return stopOperator(cluster as unknown as KubeApi, operator, clock, signal).then((warning) => {
    outcome = { warning };
  });
}

it("scales the operator to 0 replicas, and waits until its Lease is released", async () => {
  cluster.renewed = true;
  void start();
  await clock.advance(5_000);
  expect(cluster.scaled).toEqual(['deployments/scale muster-system/muster-operator {"spec":{"replicas":0}}']);
  expect(outcome).toBeUndefined();
  cluster.lease = { holderIdentity: "", leaseDurationSeconds: 1 };
  await clock.advance(500);
  expect(outcome).toEqual({ warning: undefined });
});

it("does not wait for a Lease that nobody holds, or that does not exist", async () => {
  cluster.lease = { holderIdentity: "" };
  await start();
  expect(outcome).toEqual({ warning: undefined });
  cluster.lease = failure("get leases", 404, "not found");
  await start();
  expect(outcome).toEqual({ warning: undefined });
  expect(cluster.reads).toBe(2);
});

it("waits for the Lease of a Deployment that is gone already", async () => {
  cluster.scaleFailure = failure("patch deployments/scale", 404, "not found");
  cluster.lease = { holderIdentity: "" };
  await start();
  expect(outcome).toEqual({ warning: undefined });
});

it("waits no longer than until the Lease has expired, because its holder was killed, and says so", async () => {
  void start();
  await clock.advance(14_500);
  expect(outcome).toBeUndefined();
  await clock.advance(500);
  expect(outcome?.warning).toBe(
    "The Lease muster-system/muster-operator was not released by pod-1_a: the next operator waits until it has expired, 15 s.",
  );
});

it("waits at most 45 s for a Lease that is still renewed, and says so", async () => {
  cluster.renewed = true;
  void start();
  await clock.advance(44_500);
  expect(outcome).toBeUndefined();
  await clock.advance(500);
  expect(outcome?.warning).toBe(
    "The Lease muster-system/muster-operator is still renewed by pod-1_a: the next operator waits until it has expired, 15 s.",
  );
});

it("does not read the Lease of an operator that was not scaled, and says why", async () => {
  cluster.scaleFailure = failure("patch deployments/scale", 403, "denied by a policy");
  await start();
  expect(outcome?.warning).toBe(
    "The Deployment muster-system/muster-operator was not scaled to 0 replicas: patch deployments/scale: denied by a policy. The next operator waits until the Lease has expired, 15 s by default.",
  );
  expect(cluster.reads).toBe(0);
});

it("says at once that the Lease must not be read", async () => {
  cluster.lease = failure("get leases", 403, "forbidden");
  await start();
  expect(outcome?.warning).toBe(
    "The Lease muster-system/muster-operator cannot be read: get leases: forbidden. If it is held, the next operator waits until it has expired, 15 s by default.",
  );
});

it("reads again while the API server does not respond, for at most 45 s", async () => {
  cluster.lease = failure("get leases", 0, "no response");
  void start();
  await clock.advance(1_000);
  expect(outcome).toBeUndefined();
  cluster.lease = { holderIdentity: "" };
  await clock.advance(500);
  expect(outcome).toEqual({ warning: undefined });

  outcome = undefined;
  cluster.lease = failure("get leases", 0, "no response");
  void start();
  await clock.advance(45_000);
  expect(outcome).toMatchObject({ warning: expect.stringContaining("cannot be read: get leases: no response.") });
});

it("ends with the signal", async () => {
  const end = new AbortController();
  const running = start(end.signal);
  await clock.advance(1_000);
  end.abort(new Error("the end"));
  await expect(running).rejects.toThrow("the end");
});
