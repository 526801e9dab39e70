import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";

const rbacVersion = "rbac.authorization.k8s.io/v1";
const group = "rbac.authorization.k8s.io";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A client with the token of a service account, which is created. Without further roles, it may do nothing. */
export async function serviceAccount(controlPlane: ControlPlane, namespace: string, name: string): Promise<KubeClient> {
  const { admin, url, ca } = controlPlane;
  await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name } });
  return new KubeClient({ url, ca, token: await admin.createToken(namespace, name) });
}

/** Binds a ClusterRole to a service account of `default`, in one namespace or in the whole cluster. */
export async function bindRole(
  { admin }: ControlPlane,
  user: string,
  role: string,
  namespace: string | undefined,
): Promise<void> {
  await admin.apply({
    apiVersion: rbacVersion,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name: `${user}-${role}`, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: group, kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: user }],
  });
}

export async function createRole({ admin }: ControlPlane, name: string, rules: readonly Rule[]): Promise<void> {
  await admin.apply({ apiVersion: rbacVersion, kind: "ClusterRole", metadata: { name }, rules });
}

/** The message with which the API server refuses a request as forbidden. @throws if it does not, or for another reason. */
export async function refusal(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof KubeError && error.code === 403) return error.message;
  throw new Error("the request was not refused as forbidden", { cause: error });
}
