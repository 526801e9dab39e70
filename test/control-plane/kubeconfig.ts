/** A kubeconfig with one context. JSON is YAML. */
export function kubeconfig(entry: { url: string; ca: string; token: string; user: string }): string {
  const cluster = { server: entry.url, "certificate-authority-data": Buffer.from(entry.ca).toString("base64") };
  return JSON.stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "control-plane", cluster }],
      users: [{ name: entry.user, user: { token: entry.token } }],
      contexts: [{ name: "control-plane", context: { cluster: "control-plane", user: entry.user } }],
      "current-context": "control-plane",
    },
    undefined,
    2,
  );
}
