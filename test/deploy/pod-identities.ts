import { apiVersion } from "#src/api/custom-resource.ts";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { longIdentity } from "./pod-shapes.ts";

/** The namespace of the pods. */
export const namespace = "shop";
/** The uid of every Identity. */
export const uid = `${"a".repeat(40)}/${"1".repeat(16)}`;
const subject = "system:serviceaccount:shop:checkout";
const issuer = "https://cluster.example";
const exchange = {
  url: "https://auth.example/sts/exchange",
  platformUrl: "https://platform.example",
  issuer,
  subject,
  audience: "auth.example",
  apiAudience: "https://platform.example",
};
const onPlatform = { observedGeneration: 1, uid, exchange };
const staticKeys = { issuer, issuerKeys: '{"keys": []}', audiences: ["auth.example"] };
const notFound = {
  type: "Ready",
  status: "False",
  reason: "ReferenceNotFound",
  message: "spec.groupRef: the Group shop does not exist",
  observedGeneration: 1,
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

/** The Identities, by name: spec and status. The operator does not run: nothing of Muster has to, for a pod to be admitted. */
const identities: Readonly<Record<string, { readonly spec: object; readonly status?: object }>> = {
  checkout: { spec: { serviceAccountRef: { name: "checkout" } }, status: onPlatform },
  [longIdentity]: { spec: { serviceAccountRef: { name: "checkout" } }, status: onPlatform },
  default: {
    spec: { serviceAccountRef: { name: "default" } },
    status: { ...onPlatform, exchange: { ...exchange, subject: "system:serviceaccount:shop:default" } },
  },
  claims: { spec: { claimMatch: { issuer, subject } }, status: onPlatform },
  pattern: {
    spec: { claimMatch: { issuer, subjectPattern: "system:serviceaccount:shop:.*" } },
    status: { ...onPlatform, exchange: { ...exchange, subject: "system:serviceaccount:shop:.*" } },
  },
  keys: { spec: { staticKeys: { ...staticKeys, subject } }, status: onPlatform },
  "other-keys": {
    spec: { staticKeys: { ...staticKeys, subject: "ci" } },
    status: { ...onPlatform, exchange: { ...exchange, subject: "ci" } },
  },
  aws: { spec: { awsIdentity: { awsAccount: "123456789012", arn: "arn:a", userId: "A:b" } }, status: onPlatform },
  audiences: { spec: { claimMatch: { issuer, subject, audiencePattern: "a.*" } }, status: onPlatform },
  new: { spec: { serviceAccountRef: { name: "checkout" } } },
  waiting: {
    spec: { serviceAccountRef: { name: "checkout" } },
    status: { observedGeneration: 1, conditions: [notFound] },
  },
  deleted: { spec: { serviceAccountRef: { name: "checkout" } }, status: onPlatform },
};

/** Creates three namespaces, two of which enforce a level of Pod Security, their service accounts and the Identities. */
export async function createIdentities(admin: KubeClient): Promise<void> {
  await createNamespaces(admin);
  for (const [name, { spec, status }] of Object.entries(identities)) {
    const metadata = { name, namespace, ...(name === "deleted" ? { finalizers: ["example.com/hold"] } : {}) };
    const identity = { apiVersion, kind: "Identity", metadata, spec: { groupUid: "a".repeat(40), ...spec } };
    await admin.create(identity);
    if (status !== undefined) await admin.patch(identity, { status }, "status");
    if (name === "deleted") await admin.delete(identity);
  }
}

async function createNamespaces(admin: KubeClient): Promise<void> {
  const level = "pod-security.kubernetes.io/enforce";
  for (const name of [namespace, "restricted", "baseline"]) {
    const labels = name === namespace ? {} : { [level]: name };
    await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
    for (const account of ["checkout", "default", "other"])
      await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace: name } });
  }
  const spec = { groupUid: "a".repeat(40), serviceAccountRef: { name: "checkout" } };
  for (const [name, where] of [
    ["checkout", "restricted"],
    ["checkout", "baseline"],
    ["elsewhere", "baseline"],
  ] as const) {
    const identity = { apiVersion, kind: "Identity", metadata: { name, namespace: where }, spec };
    await admin.create(identity);
    await admin.patch(identity, { status: onPlatform }, "status");
  }
}
