import type { KubeClient } from "#test/support/control-plane/kube-client.ts";

/** The Kubernetes that a `System` runs on: a control plane of its own, or somebody's cluster. */
export interface Cluster {
  /** Where the API server answers; also the issuer of service-account tokens, unless `issuer` says otherwise. */
  readonly url: string;
  /** The authorities that its certificate is of, as PEM and as a file; without them, the machine's own are trusted. */
  readonly ca?: string | undefined;
  readonly caFile?: string | undefined;
  /** The name in its certificate, where that is not the host of `url`. */
  readonly serverName?: string | undefined;
  /** Only where a person's kubeconfig says that the certificate is not to be looked at. */
  readonly insecure?: true | undefined;
  /** Who makes service-account tokens, and its keys, told to the platform beforehand: it need not reach the cluster. */
  readonly issuer?: { readonly url: string; readonly jwks: string } | undefined;
  /** May make namespaces, definitions and roles. */
  readonly admin: KubeClient;
  readonly adminToken?: string | undefined;
}
