import { beforeAll, expect, it, vi } from "vitest";
import { apiGroup } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { loadOperatorRbac, operatorAccount } from "./operator-rbac.ts";

interface Access {
  readonly verb: string;
  /** `RESOURCE.GROUP` or `RESOURCE`, followed by `/SUBRESOURCE` for a subresource. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const watched = "team-a";
const other = "team-b";
const ours = kinds.map(({ definition: { plural } }) => `${plural}.${apiGroup}`);
const inEach = (namespaces: readonly string[], resources: readonly string[], verbs: readonly string[]): Access[] =>
  namespaces.flatMap((namespace) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, resource, namespace }))),
  );
const status = ours.map((resource) => `${resource}/status`);
const leases = "leases.coordination.k8s.io";
const definitions = "customresourcedefinitions.apiextensions.k8s.io";

const allowed: readonly Access[] = [
  // In every namespace, because namespace deletion removes the role bindings before objects that still have finalizers.
  ...inEach([watched, other], ours, ["list", "watch", "patch"]),
  ...inEach([watched], status, ["patch"]),
  ...inEach([watched], ["events.events.k8s.io"], ["create", "patch"]),
  { verb: "create", resource: leases, namespace: "muster-system" },
  { verb: "get", resource: leases, namespace: "muster-system", name: "muster" },
  { verb: "update", resource: leases, namespace: "muster-system", name: "muster" },
  ...ours.map((name) => ({ verb: "get", resource: definitions, name })),
  { verb: "get", resource: "namespaces", name: "kube-system" },
];

const denied: readonly Access[] = [
  // The operator never replaces, creates or deletes an object of a user.
  ...inEach([watched], ours, ["get", "create", "update", "delete", "deletecollection"]),
  ...inEach([watched], status, ["get", "update"]),
  // In other namespaces it writes neither status nor events.
  ...inEach([other, "kube-system", "muster-system"], ours, ["get", "create", "update", "delete"]),
  ...inEach([other], status, ["patch"]),
  ...inEach([other, "muster-system"], ["events.events.k8s.io"], ["create", "patch"]),
  ...["get", "create", "update", "delete"].flatMap((verb) => ours.map((resource) => ({ verb, resource }))),
  // No secrets, no pods, no tokens of other accounts, no privilege escalation.
  ...inEach([watched, "muster-system"], ["secrets", "configmaps", "pods", "serviceaccounts"], ["get", "list", "watch"]),
  ...inEach([watched, "muster-system"], ["serviceaccounts/token", "pods/exec", "pods"], ["create"]),
  ...inEach(
    [watched, "muster-system"],
    ["roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io"],
    ["create", "patch", "update", "bind", "escalate"],
  ),
  ...["impersonate"].flatMap((verb) => ["users", "groups", "serviceaccounts"].map((resource) => ({ verb, resource }))),
  // Only its own Lease.
  { verb: "update", resource: leases, namespace: "muster-system", name: "other" },
  { verb: "get", resource: leases, namespace: "kube-system", name: "muster" },
  { verb: "create", resource: leases, namespace: watched },
  { verb: "delete", resource: leases, namespace: "muster-system", name: "muster" },
  { verb: "list", resource: leases, namespace: "muster-system" },
  // Only its own CRDs, read-only, and only one namespace.
  { verb: "get", resource: definitions, name: "certificates.cert-manager.io" },
  { verb: "list", resource: definitions },
  ...["update", "patch", "delete"].map((verb) => ({ verb, resource: definitions, name: "groups.iam.muster.dev" })),
  { verb: "get", resource: "namespaces", name: watched },
  { verb: "list", resource: "namespaces" },
  { verb: "*", resource: "*.*" },
];

describeWithControlPlane("the operator's service account", (controlPlane) => {
  beforeAll(async () => {
    const { admin } = controlPlane();
    const rbac = await loadOperatorRbac();
    for (const name of [operatorAccount.namespace, watched, other])
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const object of rbac(operatorAccount, [watched])) await admin.apply(object);
    // The API server's authorizer observes new role bindings a moment after their creation.
    await vi.waitUntil(() => isAllowed({ verb: "patch", resource: status[0] ?? "", namespace: watched }), {
      timeout: 10_000,
    });
  });

  async function isAllowed({ verb, resource, namespace, name }: Access): Promise<boolean> {
    const [path = "", subresource] = resource.split("/");
    const [plural, ...group] = path.split(".");
    const review = await controlPlane().admin.create({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: { name: "" },
      spec: {
        user: `system:serviceaccount:${operatorAccount.namespace}:${operatorAccount.name}`,
        groups: [
          "system:serviceaccounts",
          `system:serviceaccounts:${operatorAccount.namespace}`,
          "system:authenticated",
        ],
        resourceAttributes: { verb, resource: plural, group: group.join("."), subresource, namespace, name },
      },
    });
    return review["status"].allowed;
  }
  const describeAccess = ({ verb, resource, namespace, name }: Access) =>
    `${verb} ${resource}${name === undefined ? "" : ` ${name}`}${namespace === undefined ? "" : ` in ${namespace}`}`;

  it.each(allowed.map((access) => [describeAccess(access), access] as const))("can %s", async (_, access) => {
    expect(await isAllowed(access)).toBe(true);
  });

  it.each(denied.map((access) => [describeAccess(access), access] as const))("cannot %s", async (_, access) => {
    expect(await isAllowed(access)).toBe(false);
  });
});
