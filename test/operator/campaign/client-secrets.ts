import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import type { Findings } from "./findings.ts";
import type { Journal } from "./journal.ts";
import type { Picture } from "./picture.ts";

/**
 * Compares the client secrets that the platform stores with the Secrets that the objects name.
 *
 * - *S*: the identity provider of a Ready object has the client secret that is in its Secret, and the status names the version
 *   of the Secret that was sent. It has none if the object names no Secret.
 *
 * Nothing watches Secrets: until somebody requests that a replaced one is read, the platform may have an earlier value.
 */
export function findClientSecretViolations(journal: Journal, picture: Picture): Findings {
  const violations: string[] = [];
  let compared = 0;
  for (const provider of picture.objects) {
    if (provider.kind !== "IdentityProvider" || provider.metadata.deletionTimestamp !== undefined) continue;
    if (!isReady(provider)) continue;
    const wanted = wantedSecret(journal, picture, provider);
    if (wanted === undefined) continue;
    compared += 1;
    const { metadata, status } = provider;
    const where = `S: IdentityProvider ${metadata.namespace}/${metadata.name} (${status.uid}) is Ready`;
    // Neither value is part of a message.
    if (picture.clientSecrets.get(status.uid) !== wanted.value)
      violations.push(`${where} and the platform does not have the client secret of ${wanted.version}`);
    const sent = status.secret === undefined ? noSecret : versionOf(status.secret);
    if (sent !== wanted.version)
      violations.push(`${where} and its status says that ${sent} was sent, not ${wanted.version}`);
  }
  return { violations, reported: [], compared: { "client secrets": compared } };
}

interface WantedSecret {
  readonly value: string;
  /** The version of the Secret, or `noSecret` if the object names none. */
  readonly version: string;
}

const noSecret = "no Secret";

/** What the provider must have; undefined if it may have an earlier secret. */
function wantedSecret(
  journal: Journal,
  { secrets }: Picture,
  { metadata: { namespace }, spec }: KubeObject,
): WantedSecret | undefined {
  const name: string | undefined = spec.clientSecretRef?.name;
  if (name === undefined) return { value: "", version: noSecret };
  const secret = secrets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (secret === undefined || !journal.isPermitted(namespace, name)) return undefined;
  if (journal.isReplacedUnnoticed(secret.metadata)) return undefined;
  const value = Buffer.from(secret["data"]?.clientSecret ?? "", "base64").toString();
  return { value, version: versionOf(secret.metadata) };
}

function versionOf({ uid, resourceVersion }: { readonly uid?: string; readonly resourceVersion?: string }): string {
  return `version ${resourceVersion} of Secret ${uid}`;
}
