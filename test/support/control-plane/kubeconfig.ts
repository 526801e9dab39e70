interface Entry {
  readonly url: string;
  readonly ca?: string | undefined;
  readonly serverName?: string | undefined;
  readonly insecure?: true | undefined;
  readonly token: string;
  readonly user: string;
  /** The name of the context and of the cluster; by default `control-plane`. */
  readonly context?: string | undefined;
}

/** A kubeconfig with one context, as JSON, which is YAML too. */
export function kubeconfig(entry: Entry): string {
  const { context: name = "control-plane" } = entry;
  const cluster = {
    server: entry.url,
    "certificate-authority-data": entry.ca === undefined ? undefined : Buffer.from(entry.ca).toString("base64"),
    "tls-server-name": entry.serverName,
    "insecure-skip-tls-verify": entry.insecure,
  };
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name, cluster }],
      users: [{ name: entry.user, user: { token: entry.token } }],
      contexts: [{ name, context: { cluster: name, user: entry.user } }],
      "current-context": name,
    },
    undefined,
    2,
  );
}
