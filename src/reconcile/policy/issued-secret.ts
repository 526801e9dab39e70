import { issuedSecretLocation, type SecretLocation } from "#src/kinds/secret-location.ts";
import type { MonotonicTime, SecretRead, SecretVersion } from "#src/reconcile/observe/observed.ts";
import { seconds } from "#src/time/durations.ts";
import type { IssueInput } from "./issued.ts";
import type { Step } from "./step.ts";

// The Secret for the code of a resource. See `issue.ts`.

/** What is known of a Secret is used for this long; nothing reports that somebody has made or emptied it. */
const maxAgeMs = seconds(30);

export function locationOf({ kind, resource }: IssueInput): SecretLocation {
  return issuedSecretLocation(kind.issued, resource);
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
