import type { KubeApi } from "#src/kube/api.ts";
import { isUnreadable, KubeError } from "#src/kube/errors.ts";
import { kubeSystemUid } from "#src/kube/namespaces.ts";
import { readTokenPayload } from "#src/login/token-claims.ts";
import { subjectTokenFile } from "#src/platform-client/subject-token-file.ts";
import type { Clock } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import type { OperatorValues } from "./settings.ts";

/** What the operator needs to know about the cluster that it runs in. */
export interface Cluster {
  /** The id that marks the platform's resources as managed by this cluster. */
  readonly ownerId: string;
  /** The issuer of the cluster's service-account tokens, for `serviceAccountRef`. */
  readonly serviceAccountIssuer: string;
}

export interface IdentifyOptions {
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  /** Reports a failed attempt, for the log. */
  readonly onError: (error: unknown) => void;
}

/** An attempt that failed is repeated after this time, or up to twice as long. */
const retryMs = seconds(1);

/**
 * Waits while the API server is away: a process that ended instead would be restarted after up to five minutes.
 * @throws {Error} if the namespace kube-system must not be read, or the token file cannot be read; the reason of `signal`.
 */
export async function identifyCluster(
  values: Pick<OperatorValues, "ownerId" | "tokenFile">,
  kube: Pick<KubeApi, "get">,
  options: IdentifyOptions,
  signal: AbortSignal,
): Promise<Cluster> {
  const [ownerId, serviceAccountIssuer] = await Promise.all([
    values.ownerId ?? readOwnerId(kube, options, signal),
    issuerOf(values.tokenFile),
  ]);
  return { ownerId, serviceAccountIssuer };
}

/** The uid of the namespace kube-system. */
async function readOwnerId(
  kube: Pick<KubeApi, "get">,
  { clock, random, onError }: IdentifyOptions,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    try {
      const uid = await kubeSystemUid(kube, signal);
      if (uid !== undefined) return uid;
      throw KubeError.noResponse("get namespaces", "the namespace kube-system has no uid");
    } catch (error) {
      if (signal.aborted || isUnreadable(error)) throw error;
      onError(error);
    }
    await clock.sleep(retryMs * (1 + random()), signal);
  }
}

/** The issuer in the operator's own service-account token. */
async function issuerOf(tokenFile: string): Promise<string> {
  const token = await subjectTokenFile(tokenFile)().catch((error: Error) => {
    throw new Error(`--token-file: ${error.message}; mount a projected service-account token there`, { cause: error });
  });
  const issuer = readTokenPayload(token)?.["iss"];
  if (typeof issuer === "string") return issuer;
  throw new Error(`--token-file: ${tokenFile} does not contain a service-account token (a JWT with an issuer)`);
}
