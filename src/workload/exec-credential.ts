import type { ApiToken } from "./token-service.ts";

/** The versions of the protocol between kubectl and its credential plugins that have the same response. */
const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
type Version = (typeof versions)[number];

/**
 * The version that kubectl expects, from the variable KUBERNETES_EXEC_INFO. Without it, somebody runs the command by hand.
 * @throws {Error} if kubectl expects another version
 */
export function execCredentialVersion(execInfo: string | undefined): Version {
  if (execInfo === undefined || execInfo === "") return versions[0];
  let requested: unknown;
  try {
    requested = (JSON.parse(execInfo) as { readonly apiVersion?: unknown } | null)?.apiVersion;
  } catch {
    requested = undefined;
  }
  const version = versions.find((known) => known === requested);
  if (version === undefined)
    throw new Error(`the kubeconfig must have apiVersion: ${versions[0]} for this user (KUBERNETES_EXEC_INFO)`);
  return version;
}

/** The response to kubectl, which uses the token until it expires. */
export function execCredential(version: Version, { value, expiresAt }: ApiToken): string {
  return JSON.stringify({
    apiVersion: version,
    kind: "ExecCredential",
    // Kubernetes writes times without fractions of a second.
    status: { token: value, expirationTimestamp: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, "Z") },
  });
}
