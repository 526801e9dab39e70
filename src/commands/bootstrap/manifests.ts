import { apiVersion } from "#src/api/custom-resource.ts";

export interface BootstrapManifests {
  /** `NAMESPACE/NAME` */
  readonly configMap: string;
  readonly identity: string;
  readonly group: string;
  readonly ownerId: string;
  /** The class of the operator, and of the Tenant. Absent: none. */
  readonly class?: string;
  readonly tenant: string;
  readonly tenantNamespaces: readonly string[];
  readonly tenantRoles: readonly string[];
  /** The issuers that the Tenant's identities may name. */
  readonly tenantIssuers: readonly string[];
}

/** What to apply in the cluster: the operator's settings as a ConfigMap, and a first Tenant. */
export function manifests(values: BootstrapManifests): readonly object[] {
  const [namespace, name] = values.configMap.split("/");
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name },
    data: {
      MUSTER_IDENTITY: values.identity,
      MUSTER_ROOT_GROUP: values.group,
      MUSTER_OWNER_ID: values.ownerId,
      ...(values.class === undefined ? {} : { MUSTER_CLASS: values.class }),
    },
  };
  const tenant = {
    apiVersion,
    kind: "Tenant",
    metadata: { name: values.tenant },
    spec: {
      namespaces: values.tenantNamespaces,
      groups: [values.group],
      roles: values.tenantRoles,
      ...(values.tenantIssuers.length === 0
        ? {}
        : { claimIssuers: values.tenantIssuers.map((issuer) => ({ issuer })) }),
      ...(values.class === undefined ? {} : { class: values.class }),
    },
  };
  return [configMap, tenant];
}
