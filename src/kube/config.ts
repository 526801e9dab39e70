/** Where the API server is, and who we are to it. */
export interface KubeConnection {
  readonly server: URL;
  /** Authorities that are trusted instead of the system's own: PEM. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Checked against the server's certificate instead of the host in `server`. */
  readonly serverName?: string;
  /** Only where a kubeconfig says `insecure-skip-tls-verify`. */
  readonly insecure?: true;
  /** The namespace of this process or of the kubeconfig's context. */
  readonly namespace?: string;
  /** The bearer token to send with the next request; undefined where there is none. */
  token(): Promise<string | undefined>;
}
