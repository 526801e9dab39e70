import type { KubeClient } from "#test/support/control-plane/kube-client.ts";

/** What the demo does in somebody's cluster; who may make a role may also have to have what is in it: an administrator. */
const needed = [
  { verb: "create", group: "", resource: "namespaces" },
  { verb: "delete", group: "", resource: "namespaces" },
  { verb: "create", group: "", resource: "serviceaccounts" },
  { verb: "create", group: "", resource: "serviceaccounts", subresource: "token" },
  { verb: "get", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
  { verb: "create", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
  { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterroles" },
  { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" },
  { verb: "create", group: "iam.muster.dev", resource: "groups" },
] as const;

/** What of this the user may not do, such as `create namespaces`. Asks and changes nothing. */
export async function missingPermissions(admin: KubeClient): Promise<string[]> {
  const answers = await Promise.all(
    needed.map(async (resourceAttributes) => {
      const { status } = await admin.request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        body: { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes } },
      });
      const { verb, resource } = resourceAttributes;
      const subresource = "subresource" in resourceAttributes ? `/${resourceAttributes.subresource}` : "";
      return status.allowed ? [] : [`${verb} ${resource}${subresource}`];
    }),
  );
  return answers.flat();
}
