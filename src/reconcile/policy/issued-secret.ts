import { issuedSecretLocation, type SecretLocation } from "#src/kinds/secret-location.ts";
import { conclude } from "./conclude.ts";
import * as issueMessages from "./issue-messages.ts";
import { failing, type Problem, waiting } from "./outcome.ts";
import { delayingRefusal, writtenByOthers } from "./refusal.ts";
import type { MonotonicTime, Refusal, SecretRead, SecretVersion } from "#src/reconcile/observe/observed.ts";
import { seconds } from "#src/time/durations.ts";
import type { IssueInput } from "./issued.ts";
import type { Step } from "./step.ts";

// The Secret for the code of a resource. See `issue.ts`.

/** What is known of a Secret is used for this long; nothing reports that somebody has made or emptied it. */
const maxAgeMs = seconds(30);

export function locationOf({ kind, resource }: IssueInput): SecretLocation {
  return issuedSecretLocation(kind.identification.code, resource);
}

export function versionOf({ uid, resourceVersion }: SecretRead & { readonly is: "found" }): SecretVersion {
  return { uid, resourceVersion };
}

export function readSecret(observed: IssueInput): Step {
  return { do: "readSecret", at: locationOf(observed) };
}

/** When what is known of the Secret is too old to be used: now, if nothing is known. */
export function outdatedAt({ secret, now }: IssueInput): MonotonicTime {
  return secret === null ? now : secret.readAt + maxAgeMs;
}

/** The step that is missing before the code can be written into the Secret; undefined if it can. */
export function prepareSecret(observed: IssueInput): Step | undefined {
  const { settledAt, request } = observed;
  // A previous leader may have written the Secret until its requests were settled.
  const unchecked = checkSecret(observed, Math.max(settledAt, request?.seenAt ?? 0));
  if (unchecked !== undefined) return unchecked;
  const unusable = findUnusable(observed);
  if (unusable !== undefined) return conclude(observed, unusable, outdatedAt(observed));
  const lost = refusalOfWrite(observed, "writtenByOthers");
  return lost && conclude(observed, findChanging(observed), lost.retryAt);
}

/** Why the code of an earlier attempt could not be written, while that delays the next one. */
function refusalOfWrite(observed: IssueInput, because: "notPermitted" | "writtenByOthers"): Refusal | undefined {
  const refusal = delayingRefusal(observed, "writeSecret");
  return (refusal?.code === writtenByOthers.code) === (because === "writtenByOthers") ? refusal : undefined;
}

/**
 * The step that is missing before anything may be said of the Secret: an object discloses nothing of a Secret that the operator
 * was not given the right to write.
 * @param readAfter what was read before is too old.
 */
export function checkSecret(observed: IssueInput, readAfter: MonotonicTime): Step | undefined {
  const { secret, now } = observed;
  const at = locationOf(observed);
  const refusal = delayingRefusal(observed, "readSecret") ?? delayingRefusal(observed, "checkSecret");
  const refusedWrite = refusal === undefined ? refusalOfWrite(observed, "notPermitted") : undefined;
  const delaying = refusal ?? refusedWrite;
  if (delaying !== undefined) {
    const { noun, identification } = observed.kind;
    const notWritable = issueMessages.secretNotWritable(identification.code.specPath, at, delaying);
    const message = refusedWrite === undefined ? notWritable : `${notWritable} ${issueMessages.issuedInVain(noun)}`;
    return conclude(observed, failing("KubernetesForbidden", message), delaying.retryAt);
  }
  if (secret === null || now >= outdatedAt(observed) || secret.readAt < readAfter) return readSecret(observed);
  if (secret.writable) return undefined;
  return { do: "checkSecret", at, version: secret.is === "missing" ? null : versionOf(secret) };
}

/** The Secret is not one that a code is written into. */
function findUnusable(observed: IssueInput): Problem | undefined {
  const { secret, kind } = observed;
  const at = locationOf(observed);
  if (secret?.is !== "found")
    return waiting("ReferenceNotFound", issueMessages.secretMissing(kind.identification.code.specPath, at));
  return secret.isEmpty
    ? undefined
    : failing("Conflict", issueMessages.secretNotEmpty(kind.identification.code.specPath, at));
}

/** Others change the Secret between each check and the write after it, which applies only to what was checked. */
function findChanging(observed: IssueInput): Problem {
  const { noun, identification } = observed.kind;
  return failing("Conflict", issueMessages.secretChanging(identification.code.specPath, locationOf(observed), noun));
}
