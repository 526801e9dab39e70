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

const namespaces = ["team-a", "team-b"];
const everywhere = [...namespaces, "kube-system", "muster-system"];
const ours = kinds.map(({ definition: { plural } }) => `${plural}.${apiGroup}`);
const tenants = `tenants.${apiGroup}`;
const inEach = (
  names: readonly (string | undefined)[],
  resources: readonly string[],
  verbs: readonly string[],
): Access[] =>
  names.flatMap((namespace) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ verb, resource, ...(namespace === undefined ? {} : { namespace }) })),
    ),
  );
const status = ours.map((resource) => `${resource}/status`);
const leases = "leases.coordination.k8s.io";
const definitions = "customresourcedefinitions.apiextensions.k8s.io";

const allowed: readonly Access[] = [
  // In every namespace: Tenants decide what the operator does there, and change while it runs.
  ...inEach([undefined, ...everywhere], ours, ["get", "list", "watch", "patch"]),
  ...inEach([undefined, ...everywhere], status, ["patch"]),
  ...inEach([undefined, ...everywhere], ["events.events.k8s.io"], ["create", "patch"]),
  ...inEach([undefined], [tenants], ["get", "list", "watch", "patch", "operate"]),
  ...inEach([undefined], [`${tenants}/status`], ["patch"]),
  ...inEach([undefined], ["namespaces"], ["list", "watch"]),
  { verb: "get", resource: "namespaces", name: "kube-system" },
  { verb: "create", resource: leases, namespace: "muster-system" },
  { verb: "get", resource: leases, namespace: "muster-system", name: operatorAccount.name },
  { verb: "update", resource: leases, namespace: "muster-system", name: operatorAccount.name },
  ...[...ours, tenants].map((name) => ({ verb: "get", resource: definitions, name })),
];

const denied: readonly Access[] = [
  // The operator never replaces, creates or deletes an object of a user. Who may update Tenants is an administrator.
  ...inEach([undefined, ...everywhere], ours, ["create", "update", "delete", "deletecollection"]),
  ...inEach([undefined], [tenants], ["create", "update", "delete", "deletecollection"]),
  ...inEach([undefined, ...everywhere], status, ["get", "update"]),
  ...inEach([undefined], [`${tenants}/status`], ["get", "update"]),
  // No secrets, no pods, no tokens of accounts that no Tenant names, no privilege escalation.
  ...inEach(everywhere, ["secrets", "configmaps", "pods", "serviceaccounts"], ["get", "list", "watch"]),
  // Secrets with client secrets and codes are the affair of Roles that name one.
  ...inEach([undefined, ...everywhere], ["secrets"], ["create", "update", "patch", "delete", "deletecollection"]),
  ...inEach(everywhere, ["serviceaccounts/token", "pods/exec", "pods"], ["create"]),
  { verb: "create", resource: "serviceaccounts/token", namespace: "muster-system", name: operatorAccount.name },
  { verb: "create", resource: "serviceaccounts/token", namespace: "muster-system", name: "muster-tenant-shop" },
  ...inEach(
    [undefined, ...everywhere],
    [
      "roles.rbac.authorization.k8s.io",
      "rolebindings.rbac.authorization.k8s.io",
      "clusterroles.rbac.authorization.k8s.io",
      "clusterrolebindings.rbac.authorization.k8s.io",
      "validatingadmissionpolicies.admissionregistration.k8s.io",
      "validatingadmissionpolicybindings.admissionregistration.k8s.io",
    ],
    ["create", "patch", "update", "delete", "bind", "escalate"],
  ),
  ...["impersonate"].flatMap((verb) => ["users", "groups", "serviceaccounts"].map((resource) => ({ verb, resource }))),
  // Only its own Lease.
  { verb: "update", resource: leases, namespace: "muster-system", name: "other" },
  { verb: "get", resource: leases, namespace: "kube-system", name: operatorAccount.name },
  { verb: "create", resource: leases, namespace: "team-a" },
  { verb: "delete", resource: leases, namespace: "muster-system", name: operatorAccount.name },
  { verb: "list", resource: leases, namespace: "muster-system" },
  // Only its own CRDs, read-only. Namespaces are read, never written.
  { verb: "get", resource: definitions, name: "certificates.cert-manager.io" },
  { verb: "list", resource: definitions },
  ...["update", "patch", "delete"].map((verb) => ({ verb, resource: definitions, name: "groups.iam.muster.dev" })),
  { verb: "get", resource: "namespaces", name: "team-a" },
  ...inEach([undefined, ...namespaces], ["namespaces"], ["create", "update", "patch", "delete"]),
  { verb: "*", resource: "*.*" },
];

describeWithControlPlane("the operator's service account", (controlPlane) => {
  beforeAll(async () => {
    const { admin } = controlPlane();
    const rbac = await loadOperatorRbac();
    for (const name of [operatorAccount.namespace, ...namespaces])
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const object of rbac(operatorAccount)) await admin.apply(object);
    // The API server's authorizer observes new role bindings a moment after their creation.
    await vi.waitUntil(() => isAllowed({ verb: "patch", resource: `${tenants}/status` }), {
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
