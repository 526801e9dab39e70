import { asciiLowerCase } from "#src/text/ascii-case.ts";
import { parseJsonObject } from "#src/json/parse-json.ts";
import type { ApiToken } from "./token-service.ts";

const version = "credentialprovider.kubelet.k8s.io/v1";
/** Credentials are not used in the last part of a token's life: a pull of a large image takes that long. */
const marginMs = 60_000;
/** In the name of an image, what is before the first slash is a registry only if it looks like a host. */
const registryOf =
  /^((?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+|localhost)(?::\d{1,5})?|[A-Za-z0-9-]+:\d{1,5})\//;

/** What the kubelet asks a credential provider when it pulls an image (`CredentialProviderRequest`). */
export interface PullRequest {
  /** The registry of the image as `HOST` or `HOST:PORT`, in lower case; undefined if the image names none. */
  readonly registry: string | undefined;
  /** The token of the pod's service account. Secret. */
  readonly subjectToken: string;
  /** The value of the annotation of the service account that names the identity; undefined if it has none. */
  readonly identity: string | undefined;
}

/**
 * Reads what the kubelet wrote to standard input.
 * @param annotation the key under which a service account names its identity
 * @throws {Error} that says what to change in the kubelet's configuration, and never contains the token
 */
export function parsePullRequest(text: string, annotation: string): PullRequest {
  const request = parseJsonObject(text);
  if (request?.["kind"] !== "CredentialProviderRequest")
    throw new Error("standard input has no CredentialProviderRequest: the kubelet runs this command");
  if (request["apiVersion"] !== version)
    throw new Error(`the kubelet's configuration must have apiVersion: ${version} for this provider`);
  const { image, serviceAccountToken, serviceAccountAnnotations } = request;
  if (typeof serviceAccountToken !== "string" || serviceAccountToken === "")
    throw new Error(
      "the kubelet sent no token of a service account: set tokenAttributes for this provider in its configuration",
    );
  const annotations: object = typeof serviceAccountAnnotations === "object" ? (serviceAccountAnnotations ?? {}) : {};
  const identity: unknown = Object.entries(annotations).find(([key]) => key === annotation)?.[1];
  const [, registry] = registryOf.exec(typeof image === "string" ? image : "") ?? [];
  return {
    registry: registry === undefined ? undefined : asciiLowerCase(registry),
    subjectToken: serviceAccountToken,
    identity: typeof identity === "string" && identity !== "" ? identity : undefined,
  };
}

/**
 * The response to the kubelet, which keeps the credentials for the registry until shortly before the token expires.
 * @param credentials undefined: none for this image
 * @param now milliseconds since the epoch
 */
export function pullResponse(
  credentials: { readonly registry: string; readonly username: string; readonly token: ApiToken } | undefined,
  now: number,
): string {
  const common = { apiVersion: version, kind: "CredentialProviderResponse", cacheKeyType: "Registry" };
  if (credentials === undefined) return JSON.stringify({ ...common, cacheDuration: "0s" });
  const { registry, username, token } = credentials;
  const seconds = Math.max(0, Math.floor((token.expiresAt - now - marginMs) / 1000));
  return JSON.stringify({
    ...common,
    cacheDuration: `${seconds}s`,
    auth: { [registry]: { username, password: token.value } },
  });
}
