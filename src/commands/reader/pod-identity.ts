import type { CommandContext } from "#src/commands/command.ts";
import { isServiceAccountToken } from "#src/commands/login/token-file.ts";
import { readTextSync } from "#src/files/read-text.ts";

export interface PodIdentityValues {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly identity?: string | undefined;
  readonly platformUrl: URL | undefined;
  readonly authUrl?: URL | undefined;
  readonly tokenFile: string | undefined;
  readonly subjectTokenFile?: string | undefined;
}

/** An identity that only the process of a pod can assume, with the token that the kubelet keeps in a file. */
export interface PodIdentity {
  /** The uid of the identity. */
  readonly identity: string;
  readonly platformUrl: URL;
  readonly authUrl: URL;
  /** The file with the service-account token that is exchanged. */
  readonly subjectTokenFile: string;
}

/**
 * The identity of the operator, in its own pod: there, the file of --token-file has a service-account token, which no platform
 * accepts before it is exchanged. Undefined elsewhere, and where the settings name a cluster.
 */
export function podIdentityOf(
  { authUrl, context, identity, kubeconfig, platformUrl, subjectTokenFile, tokenFile }: PodIdentityValues,
  { env }: Pick<CommandContext, "env">,
): PodIdentity | undefined {
  if (!env["KUBERNETES_SERVICE_HOST"] || kubeconfig !== undefined || context !== undefined) return undefined;
  if (identity === undefined || platformUrl === undefined) return undefined;
  const file = tokenFile ?? subjectTokenFile;
  if (file === undefined || !hasServiceAccountToken(file)) return undefined;
  return { identity, platformUrl, authUrl: authUrl ?? platformUrl, subjectTokenFile: file };
}

function hasServiceAccountToken(file: string): boolean {
  try {
    return isServiceAccountToken(readTextSync(file));
  } catch {
    // Whatever reads the file next reports that it cannot be read.
    return false;
  }
}
