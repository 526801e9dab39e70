import { existsSync } from "node:fs";
import type { CommandContext } from "#src/commands/command.ts";

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
 * The identity of the operator, in its own pod: there it is used if the settings name neither a token nor a cluster. Undefined
 * elsewhere, where a person's login is used.
 */
export function podIdentityOf(
  { authUrl, context, identity, kubeconfig, platformUrl, subjectTokenFile, tokenFile }: PodIdentityValues,
  { env }: Pick<CommandContext, "env">,
): PodIdentity | undefined {
  if (!env["KUBERNETES_SERVICE_HOST"] || tokenFile !== undefined) return undefined;
  if (kubeconfig !== undefined || context !== undefined) return undefined;
  if (identity === undefined || platformUrl === undefined) return undefined;
  if (subjectTokenFile === undefined || !existsSync(subjectTokenFile)) return undefined;
  return { identity, platformUrl, authUrl: authUrl ?? platformUrl, subjectTokenFile };
}
