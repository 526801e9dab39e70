import { readFile } from "node:fs/promises";
import type { KubeClient } from "#src/kube/client.ts";
import type { OperatorValues } from "./settings.ts";

/** What the operator needs to know about the cluster that it runs in. */
export interface Cluster {
  /** The id that marks the platform's resources as managed by this cluster. */
  readonly ownerId: string;
  /** The issuer of the cluster's service-account tokens, for `serviceAccountRef`. */
  readonly serviceAccountIssuer: string;
}

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/** @throws {Error} if the namespace kube-system or the token file cannot be read. */
export async function identifyCluster(values: OperatorValues, kube: KubeClient, signal: AbortSignal): Promise<Cluster> {
  const [ownerId, serviceAccountIssuer] = await Promise.all([
    values.ownerId ??
      kube.get(namespaces, undefined, "kube-system", { signal }).then((namespace) => namespace.metadata.uid ?? ""),
    issuerOf(values.tokenFile),
  ]);
  return { ownerId, serviceAccountIssuer };
}

/** The issuer in the operator's own service-account token. */
async function issuerOf(tokenFile: string): Promise<string> {
  const token = await readFile(tokenFile, "utf8").catch((error: Error) => {
    throw new Error(
      `--token-file: ${tokenFile} cannot be read (${error.message}); mount a projected service-account token there`,
    );
  });
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    if (typeof claims === "object" && claims !== null && "iss" in claims && typeof claims.iss === "string")
      return claims.iss;
  } catch {
    // The error below does not include the parser's message, which would contain parts of the token.
  }
  throw new Error(`--token-file: ${tokenFile} does not contain a service-account token (a JWT with an issuer)`);
}
