import { isDeepStrictEqual } from "node:util";
import type { Condition, ConditionType, Reason } from "#src/api/condition.ts";
import type { Drift, Status, StatusError } from "#src/api/status.ts";
import { statusBounds } from "#src/api/status.ts";
import type { PlatformErrorBody } from "#src/platform-client/failure.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Outcome } from "./outcome.ts";
import { plainText } from "./plain-text.ts";
import type { StatusErrorPatch, StatusPatch } from "./step.ts";

/**
 * What has to change in a resource's status so that it tells `outlook`; undefined where it tells so already. Times move
 * only along with something else, and a condition's `lastTransitionTime` only with its status.
 */
export function statusPatch(observed: Observed, outlook: Outcome): StatusPatch | undefined {
  const before = observed.resource.status;
  const now = observed.wallClock.toISOString().replace(/\.\d+Z$/, "Z");
  const generation = observed.resource.metadata.generation ?? 0;
  const after: Record<string, unknown> = {
    observedGeneration: generation,
    conditions: conditionsOf(outlook, observed).map((condition) =>
      dated(condition, generation, now, before?.conditions),
    ),
    error: outlook.is === "ready" || outlook.is === "paused" ? null : errorOf(outlook.error, now, before?.error),
    drift:
      "drift" in outlook && outlook.drift !== undefined
        ? outlook.drift.slice(0, statusBounds.items).map(fitting)
        : null,
    ...(outlook.is === "ready" ? { uid: outlook.uid, parentUid: outlook.parentUid } : {}),
    ...(isAnswered(observed, outlook) ? { lastHandledReconcileAt: observed.request?.value } : {}),
  };
  const changes = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value ?? undefined, before?.[field as keyof Status]),
  );
  if (changes.length === 0) return undefined;
  const patch: StatusPatch = Object.fromEntries(changes);
  return {
    ...patch,
    ...(patch.error ? { error: replacing(before?.error, patch.error) } : {}),
    ...(outlook.is === "ready" ? { lastSyncTime: now } : {}),
  };
}

/** A merge patch keeps what it does not name: what the new error lacks has to be taken away by name. */
function replacing(before: StatusError | undefined, error: StatusErrorPatch): StatusErrorPatch {
  const removed = Object.keys(before ?? {}).filter((field) => !(field in error));
  return { ...error, ...Object.fromEntries(removed.map((field) => [field, null])) };
}

/**
 * Whether `patch` says the same in other words: the same conditions and the same code, with another text. What waits for
 * many things would else be written each time that one of them comes.
 */
export function onlyRephrases(before: Status | undefined, { conditions, error, ...others }: StatusPatch): boolean {
  return (
    Object.keys(others).length === 0 &&
    (!conditions || isDeepStrictEqual(conditions.map(sense), before?.conditions?.map(sense))) &&
    (error === undefined || (error !== null && error.code === before?.error?.code))
  );
}

function sense({ message: _words, ...condition }: Condition): Omit<Condition, "message"> {
  return condition;
}

/** A wish for a reconcile is answered once there is an outcome: not while it is paused, nor by a call that is tried again. */
function isAnswered({ request, state: memory }: Observed, outlook: Outcome): boolean {
  if (request === undefined || outlook.is === "paused") return false;
  return outlook.is === "ready" || outlook.is === "stalled" || memory.failure === undefined;
}

type Finding = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

function conditionsOf(outlook: Outcome, observed: Observed): Finding[] {
  const references = referencesResolved(observed);
  if (outlook.is === "ready")
    return [
      finding("Ready", "True", "Available", `The ${observed.kind.noun} exists on the platform as the spec says.`),
      references,
    ];
  if (outlook.is === "paused")
    return [
      finding("Ready", "Unknown", "Paused", "The annotation iam.muster.dev/paused keeps the operator from looking."),
      references,
    ];
  const ready = finding("Ready", "False", outlook.reason, plainText(outlook.message, statusBounds.message));
  if (outlook.is === "failing") return [ready, references];
  return [ready, { ...ready, type: outlook.is === "stalled" ? "Stalled" : "Reconciling", status: "True" }, references];
}

function referencesResolved({ references }: Observed): Finding {
  switch (references.are) {
    case "resolved":
      return finding("ReferencesResolved", "True", "Available", "All that the spec refers to was found.");
    case "waiting":
      return finding(
        "ReferencesResolved",
        "False",
        references.reason,
        plainText(references.message, statusBounds.message),
      );
    case "denied":
      return finding(
        "ReferencesResolved",
        "False",
        "TenantDenied",
        plainText(references.message, statusBounds.message),
      );
    case "unread":
      return finding(
        "ReferencesResolved",
        "Unknown",
        "PlatformUnavailable",
        "The platform's roles could not be read yet.",
      );
  }
}

function finding(type: ConditionType, status: Condition["status"], reason: Reason, message: string): Finding {
  return { type, status, reason, message };
}

function dated(
  condition: Finding,
  generation: number,
  now: string,
  before: readonly Condition[] | undefined,
): Condition {
  const old = before?.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  return { ...condition, observedGeneration: generation, lastTransitionTime };
}

function errorOf(
  error: PlatformErrorBody | undefined,
  now: string,
  before: StatusError | undefined,
): StatusError | null {
  if (error === undefined) return null;
  const next: StatusError = {
    code: error.code,
    ...(error.reason === "" ? {} : { reason: bounded(error.reason) }),
    ...(error.domain === "" ? {} : { domain: bounded(error.domain) }),
    message: plainText(error.message, statusBounds.message),
    ...(error.fieldViolations.length === 0
      ? {}
      : {
          fieldViolations: error.fieldViolations
            .slice(0, statusBounds.items)
            .map(({ field, description }) => ({ field: bounded(field), description: bounded(description) })),
        }),
    ...(error.preconditionViolations.length === 0
      ? {}
      : {
          preconditionViolations: error.preconditionViolations.slice(0, statusBounds.items).map((violation) => ({
            type: bounded(violation.type),
            description: bounded(violation.description),
            ...(violation.subject === undefined ? {} : { subject: bounded(violation.subject) }),
          })),
        }),
    time: now,
  };
  return before !== undefined && isDeepStrictEqual({ ...before, time: now }, next) ? before : next;
}

function fitting({ field, expected, actual }: Drift): Drift {
  return { field: bounded(field), expected: bounded(expected), actual: bounded(actual) };
}

const bounded = (text: string): string => plainText(text, statusBounds.text);
