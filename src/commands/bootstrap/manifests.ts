import { stringify } from "yaml";
import { apiVersion } from "#src/api/custom-resource.ts";

export interface BootstrapManifests {
  /** `NAMESPACE/NAME` */
  readonly configMap: string;
  readonly identity: string;
  readonly group: string;
  readonly ownerId: string;
  readonly tenant: string;
  readonly tenantNamespaces: readonly string[];
  readonly tenantRoles: readonly string[];
}

/** What to apply in the cluster, as YAML: the operator's settings as a ConfigMap, and a first Tenant. */
export function manifests(values: BootstrapManifests): string {
  const [namespace, name] = values.configMap.split("/");
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name },
    data: { MUSTER_IDENTITY: values.identity, MUSTER_ROOT_GROUP: values.group, MUSTER_OWNER_ID: values.ownerId },
  };
  const tenant = {
    apiVersion,
    kind: "Tenant",
    metadata: { name: values.tenant },
    spec: { namespaces: values.tenantNamespaces, groups: [values.group], roles: values.tenantRoles },
  };
  return `${stringify(configMap)}---\n${stringify(tenant)}`;
}
