import type { KubeClient } from "#test/support/control-plane/kube-client.ts";

/**
 * The demo's requests in a user's cluster. To create a role, a user must have its permissions, as an administrator has.
 */
const required = [
  { verb: "create", group: "", resource: "namespaces" },
  { verb: "delete", group: "", resource: "namespaces" },
  { verb: "create", group: "", resource: "serviceaccounts" },
  { verb: "create", group: "", resource: "serviceaccounts", subresource: "token" },
  { verb: "get", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
  { verb: "create", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
  { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterroles" },
  { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" },
  { verb: "create", group: "iam.muster.dev", resource: "groups" },
  { verb: "create", group: "iam.muster.dev", resource: "tenants" },
] as const;

/** The required permissions that the user does not have, for example `create namespaces`. Changes nothing. */
export async function missingPermissions(admin: KubeClient): Promise<string[]> {
  const missing = await Promise.all(
    required.map(async (resourceAttributes) => {
      const { status } = await admin.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
      });
      const { verb, resource } = resourceAttributes;
      const subresource = "subresource" in resourceAttributes ? `/${resourceAttributes.subresource}` : "";
      return status.allowed ? [] : [`${verb} ${resource}${subresource}`];
    }),
  );
  return missing.flat();
}
