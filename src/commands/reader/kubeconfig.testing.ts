/** A kubeconfig for an API server without TLS. @param token the bearer token of the user */
export function kubeconfigFor(server: string, token = "t"): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster: { "insecure-skip-tls-verify": true, server } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
