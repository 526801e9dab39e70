import type { KubeClient } from "#test/support/control-plane/kube-client.ts";

/** The Kubernetes that a `System` uses: a control plane of its own, or a user's cluster. */
export interface Cluster {
  /** The address of the API server; also the issuer of service-account tokens, unless `issuer` is set. */
  readonly url: string;
  /** The certificate authorities of the API server, as PEM and as a file; by default those of the system. */
  readonly ca?: string | undefined;
  readonly caFile?: string | undefined;
  /** The name in the API server's certificate, if it is not the host of `url`. */
  readonly serverName?: string | undefined;
  /** Do not verify the certificate. Set only if the user's kubeconfig says so. */
  readonly insecure?: true | undefined;
  /** The issuer of service-account tokens and its keys, for a platform that cannot reach the cluster. */
  readonly issuer?: { readonly url: string; readonly jwks: string } | undefined;
  /** A client that can create namespaces, CRDs and roles. */
  readonly admin: KubeClient;
  readonly adminToken?: string | undefined;
}
