import type { SentSecret } from "#src/api/status.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { SecretField } from "#src/kinds/kind.ts";
import { secretLocationOf } from "#src/kinds/secret-location.ts";
import type { ExternalResource, MonotonicTime, SecretRead } from "#src/reconcile/observe/observed.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import { type Differences, differencesOf } from "./differences.ts";
import * as messages from "./secret-messages.ts";
import { failing, type Problem, waiting } from "./outcome.ts";
import { delayingRefusal } from "./refusal.ts";
import { mayHaveUnrecorded, mayStillGetOne, sentTo } from "./sent-secret.ts";
import { noLaterThan, type SecretToSend, type Step } from "./step.ts";

/**
 * When the value of a Secret is sent to the platform.
 *
 * The platform never returns a secret, so that nobody can compare it. What can be compared is which version of the Secret was
 * sent last, and when the platform changed the resource by that: the status records both. The value is sent with every update
 * of the field that contains it, and alone when the Secret has another uid or version than was sent, when the spec
 * names another key, or when the platform
 * changed the resource since: somebody else may have set another secret. A Secret is read when an object needs it, again after
 * ten minutes, and after half a minute where it could not be used; nothing lists or watches Secrets.
 *
 * Guarantees: a value is sent only if the Secret names the issuer of the spec in its annotation. While the Secret cannot be
 * used, everything else is still corrected, and the platform keeps the secret that it has, unless the issuer is corrected:
 * then the secret is removed, so that another issuer neither gets it nor lets anybody in. Where the spec names no Secret, what the
 * object created has none, also if a leader died before it recorded that it had sent one.
 */

/** A Secret that could be used is read again after this time. */
const maxAgeMs = minutes(10);
/** A Secret that could not be used is read again after this time: nothing reports that somebody has made it. */
const retryMs = seconds(30);

/** What is known of the secret that the resource is to have. */
type WantedSecret =
  /** The resource is to have none. */
  | { readonly is: "none" }
  | { readonly is: "unread"; readonly read: Step }
  | { readonly is: "unusable"; readonly problem: Problem; readonly until: MonotonicTime }
  | { readonly is: "usable"; readonly toSend: SecretToSend };

function wantedSecret(observed: DecisionInput): WantedSecret {
  const { kind, resource, secret, now, request } = observed;
  const at = secretLocationOf(kind, resource);
  if (kind.secret === null || at === undefined) return { is: "none" };
  const refusal = delayingRefusal(observed, "readSecret");
  if (refusal !== undefined) {
    const message = messages.secretRefused(kind.secret.specPath, at, refusal.message);
    return { is: "unusable", problem: failing("KubernetesForbidden", message), until: refusal.retryAt };
  }
  if (secret === null || now >= readAgainAt(observed, secret) || secret.readAt < (request?.seenAt ?? 0))
    return { is: "unread", read: { do: "readSecret", at } };
  const problem = findUnusable(observed, secret);
  if (problem !== undefined) return { is: "unusable", problem, until: readAgainAt(observed, secret) };
  const { uid, resourceVersion } = secret as Extract<SecretRead, { is: "found" }>;
  return { is: "usable", toSend: { at, uid, resourceVersion } };
}

function readAgainAt(observed: DecisionInput, secret: SecretRead): MonotonicTime {
  return secret.readAt + (findUnusable(observed, secret) === undefined ? maxAgeMs : retryMs);
}

/** The Secret does not exist, has no usable value, or does not name the issuer. */
function findUnusable({ kind, resource }: DecisionInput, read: SecretRead): Problem | undefined {
  const at = secretLocationOf(kind, resource);
  if (kind.secret === null || at === undefined) return undefined;
  const { specPath } = kind.secret;
  const issuer = kind.secret.issuerOf(resource);
  if (read.is === "missing") return waiting("ReferenceNotFound", messages.secretMissing(specPath, at, issuer));
  if (read.issuer !== issuer) return failing("ReferenceNotGranted", messages.secretNotGranted(specPath, at, issuer));
  if (read.unusable === null) return undefined;
  return failing("ReferenceNotFound", messages.secretUnusable(specPath, at, read.unusable));
}

/** The secret to create the resource with, or the step that is missing before it is known. */
export function secretForCreation(
  observed: DecisionInput,
): { readonly step: Step } | { readonly secret?: SecretToSend } {
  const wanted = wantedSecret(observed);
  switch (wanted.is) {
    case "none":
      return {};
    case "unread":
      return { step: wanted.read };
    case "unusable":
      return { step: conclude(observed, wanted.problem, wanted.until) };
    case "usable":
      return { secret: wanted.toSend };
  }
}

/** The step that reads the Secret, if nothing is known of it; undefined if something is. */
export function readSecretFirst(observed: DecisionInput): Step | undefined {
  const wanted = wantedSecret(observed);
  return wanted.is === "unread" ? wanted.read : undefined;
}

/**
 * The wait until no request of a leader that died can take effect any longer: it may still give the resource a secret that the spec
 * does not name, and that nothing would show.
 */
export function awaitSentSecret(observed: DecisionInput, external: ExternalResource): Step | undefined {
  const { kind, settledAt } = observed;
  if (kind.secret === null || wantedSecret(observed).is !== "none") return undefined;
  return mayStillGetOne(observed, external)
    ? conclude(observed, waiting("Updating", messages.secretUnsettled(kind.noun)), settledAt)
    : undefined;
}

/** Why the resource, which matches the spec otherwise, may not have the secret that it is to have. */
export function concludeUnusableSecret(observed: DecisionInput): Step | undefined {
  const wanted = wantedSecret(observed);
  return wanted.is === "unusable" ? conclude(observed, wanted.problem, wanted.until) : undefined;
}

/** The differences between the resource and the spec, with the secret, if it is to be sent or removed. */
export function differencesWithSecret(
  observed: DecisionInput,
  desired: Fields,
  external: ExternalResource,
): Differences | undefined {
  const { kind, resource } = observed;
  const differences = differencesOf(observed, desired, external);
  if (kind.secret === null) return differences;
  const wanted = wantedSecret(observed);
  const sent = sentTo(observed, external.uid);
  switch (wanted.is) {
    case "none": {
      const removed = withSecret(kind.secret, desired, differences, "removed");
      if (sent !== undefined) return { ...drifted(removed, "(none)", versionOf(sent)), ...isEdit(differences) };
      if (mayHaveUnrecorded(observed, external)) return drifted(removed, "(none)", "(perhaps one)");
      // Another issuer must not get the secret that somebody else gave the resource.
      return differences?.mask.includes(kind.secret.field) === true ? removed : differences;
    }
    case "unread":
      return differences;
    case "unusable": {
      const { fields, removesSecret } = kind.secret.withoutValue(desired, external);
      const possible = differencesOf(observed, fields, external);
      return removesSecret ? withSecret(kind.secret, fields, possible, "removed") : possible;
    }
    case "usable": {
      const { toSend } = wanted;
      const written = withSecret(kind.secret, desired, differences, toSend);
      if (sent === undefined || !isSame(sent, toSend))
        return { ...driftedFrom(sent, written, toSend), ...isEdit(differences) };
      if (differences !== undefined) return written;
      const updateTime = kind.secret.updateTimeOf(external);
      // What cannot be seen cannot be reported.
      if (updateTime === sent.updateTime || resource.spec.policy.drift === "Report") return undefined;
      return drifted(written, `as sent at ${sent.updateTime}`, `perhaps changed at ${updateTime}`);
    }
  }
}

/**
 * The update that sends what a Secret has now, and leaves everything else as it is on the platform; undefined if that was sent, or
 * if the resource lets in other people than the spec says: the secret is not for them.
 */
export function changedSecret(observed: DecisionInput, external: ExternalResource): Differences | undefined {
  const { kind, resource } = observed;
  if (kind.secret === null) return undefined;
  const wanted = wantedSecret(observed);
  const sent = sentTo(observed, external.uid);
  if (wanted.is !== "usable" || (sent !== undefined && isSame(sent, wanted.toSend))) return undefined;
  if ((kind.vouching?.otherPeople(resource, external) ?? []).length > 0) return undefined;
  const written = withSecret(kind.secret, kind.actual(external, {}), undefined, wanted.toSend);
  return { ...driftedFrom(sent, written, wanted.toSend), isEdit: true };
}

/** The update that also writes the secret, and the field that contains it. */
function withSecret(
  { field, paths }: SecretField,
  desired: Fields,
  differences: Differences | undefined,
  secret: NonNullable<Differences["secret"]>,
): Differences {
  return {
    body: { ...differences?.body, [field]: desired[field] },
    mask: [...(differences?.mask ?? []).filter((one) => one !== field), ...paths],
    drift: differences?.drift ?? [],
    secret,
  };
}

function drifted(differences: Differences, expected: string, actual: string): Differences {
  return { ...differences, drift: [...differences.drift, { field: "secret", expected, actual }] };
}

function driftedFrom(sent: SentSecret | undefined, differences: Differences, toSend: SecretToSend): Differences {
  const { uid, resourceVersion, at } = toSend;
  const expected = versionOf({ uid, resourceVersion, key: at.key });
  return drifted(differences, expected, sent === undefined ? "(not sent)" : versionOf(sent));
}

function isSame(sent: SentSecret, { uid, resourceVersion, at: { key } }: SecretToSend): boolean {
  return sent.uid === uid && sent.resourceVersion === resourceVersion && sent.key === key;
}

/** Only the Secret, or the spec, differs from what was sent: nobody changed anything on the platform. */
function isEdit(differences: Differences | undefined): Pick<Differences, "isEdit"> {
  return differences === undefined ? { isEdit: true } : {};
}

function versionOf({ uid, resourceVersion, key }: Pick<SentSecret, "uid" | "resourceVersion" | "key">): string {
  return `version ${resourceVersion} of Secret ${uid}${key === undefined ? "" : `, key ${key}`}`;
}

/** `step`, or what it waits for, no later than the Secret is to be read again. */
export function untilSecretRead(observed: DecisionInput, step: Step): Step {
  const { kind, resource, secret, now } = observed;
  if (kind.secret === null || secret === null || resource.spec.policy.management !== "Full") return step;
  if (secretLocationOf(kind, resource) === undefined) return step;
  const readAt = readAgainAt(observed, secret);
  // What the object waits for may be something before its Secret is looked at.
  return readAt <= now ? step : noLaterThan(step, readAt);
}
