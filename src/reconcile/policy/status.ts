import { isDeepStrictEqual } from "node:util";
import type { Condition, ConditionType } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Drift, Status, StatusError, Undeclared } from "#src/api/status.ts";
import { statusBounds } from "#src/api/status.ts";
import { timestamp } from "#src/api/timestamp.ts";
import type { PlatformError, ReconcileState } from "#src/reconcile/observe/observed.ts";
import type { Recorded } from "#src/reconcile/observe/observed.ts";
import { keptAppliedGeneration } from "./applied.ts";
import type { DecisionInput } from "./decision-input.ts";
import { exchangeOf } from "./exchange.ts";
import { identificationOf } from "./identification-of.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import * as messages from "./messages.ts";
import { isPaused } from "./object.ts";
import type { Outcome } from "./outcome.ts";
import { plainText } from "./plain-text.ts";
import type { NoneRecorded } from "./recorded.ts";
import { recordedSecret } from "./sent-secret.ts";
import type { StatusErrorPatch, StatusPatch } from "./step.ts";
import { accessDeclared, listOfUndeclared } from "./undeclared.ts";

/**
 * The change that makes an object's status report `outcome`; undefined if the status reports it already. A timestamp
 * changes only together with another field, and the `lastTransitionTime` of a condition only together with its status.
 */
export function statusPatch(observed: DecisionInput, outcome: Outcome): StatusPatch | undefined {
  const before = observed.resource.status;
  const now = timestamp(observed.wallClock);
  const generation = observed.resource.metadata.generation ?? 0;
  const after: Record<string, unknown> = {
    observedGeneration: generation,
    conditions: [
      ...conditionsOf(outcome, observed).map((condition) => withTimes(condition, generation, now, before?.conditions)),
      ...keptConditions(observed),
    ],
    error: outcome.is === "ready" || outcome.is === "paused" ? null : errorOf(outcome.error, now, before?.error),
    drift:
      "drift" in outcome && outcome.drift !== undefined
        ? outcome.drift.slice(0, statusBounds.items).map(boundedDrift)
        : null,
    ...("recorded" in outcome && outcome.recorded !== undefined ? recordedFields(outcome.recorded) : {}),
    ...secretField(observed, outcome),
    ...expiryField(observed, outcome),
    appliedGeneration: keptAppliedGeneration(before, outcome),
    ...undeclaredOf(observed),
    ...tenantOf(observed, outcome),
    ...exchangeField(observed, outcome),
    ...(isHandled(observed, outcome) ? { lastHandledReconcileAt: observed.request?.value } : {}),
  };
  const changes = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value ?? undefined, before?.[field as keyof Status]),
  );
  if (changes.length === 0) return undefined;
  const patch: StatusPatch = Object.fromEntries(changes);
  return {
    ...patch,
    ...(patch.error ? { error: errorPatch(before?.error, patch.error) } : {}),
    ...(outcome.is === "ready" ? { lastSyncTime: now } : {}),
  };
}

/** The fields of the status that record the external resource; null removes one. */
function recordedFields(recorded: Recorded | NoneRecorded): Record<string, unknown> {
  const nothing = { uid: null, parentUid: null, identityUid: null, roleUid: null, createTime: null, expiresAt: null };
  if (typeof recorded === "object") return { ...nothing, ...recorded };
  const management = { cleared: {}, forgotten: { management: null }, ended: { management: "Created" } }[recorded];
  return { ...nothing, exchange: null, ...management };
}

/**
 * When the grant ends. It is recorded together with the grant, so that it stays in force whatever becomes of the spec, and an
 * invalid spec does not change it. What has a code ends on the platform by itself.
 */
function expiryField(observed: DecisionInput, outcome: Outcome): Pick<StatusPatch, "expiresAt"> {
  const { resource, invalid } = observed;
  if (invalid !== null || !identificationOf(observed).recordsExpiry) return {};
  const recorded = "recorded" in outcome ? outcome.recorded : undefined;
  const { uid, management } = typeof recorded === "object" ? recorded : (resource.status ?? {});
  const isGranted = typeof recorded !== "string" && uid !== undefined && management !== "Observed";
  return { expiresAt: isGranted ? (resource.spec.expiresAt ?? null) : null };
}

/** What was sent of the Secret, as long as the resource is the one that it was sent to. */
function secretField(observed: DecisionInput, outcome: Outcome): Pick<StatusPatch, "secret"> {
  const recorded = "recorded" in outcome ? outcome.recorded : undefined;
  const uid = typeof recorded === "object" ? recorded.uid : observed.resource.status?.uid;
  return { secret: recordedSecret(observed, typeof recorded === "string" ? undefined : uid) };
}

/** The Tenant is recorded together with the resource: its deletion needs the credential and the permissions of that Tenant. */
function tenantOf({ tenant, state: { posted } }: DecisionInput, outcome: Outcome): Pick<StatusPatch, "tenant"> {
  // The namespace may have another Tenant by now than at the time of the POST.
  const isCreated = posted?.created !== undefined && "recorded" in outcome && outcome.recorded === posted.created;
  if (isCreated) return posted.tenant === undefined ? {} : { tenant: posted.tenant };
  const records = "recorded" in outcome && typeof outcome.recorded === "object";
  return records && tenant.is === "known" ? { tenant: tenant.name } : {};
}

function exchangeField(observed: DecisionInput, outcome: Outcome): Pick<StatusPatch, "exchange"> {
  const exchange = exchangeOf(observed, outcome);
  return exchange === undefined ? {} : { exchange };
}

/** A merge patch keeps the fields that it does not name: those that the new error lacks are removed by name. */
function errorPatch(before: StatusError | undefined, error: StatusErrorPatch): StatusErrorPatch {
  const removed = Object.keys(before ?? {}).filter((field) => !(field in error));
  return { ...error, ...Object.fromEntries(removed.map((field) => [field, null])) };
}

/**
 * Whether `patch` changes only texts: the conditions and the code of the error keep their meaning. An object that waits
 * for many others would otherwise be written each time that one of them changes.
 */
export function onlyRephrases(before: Status | undefined, { conditions, error, ...others }: StatusPatch): boolean {
  return (
    Object.keys(others).length === 0 &&
    (!conditions || isDeepStrictEqual(conditions.map(withoutMessage), before?.conditions?.map(withoutMessage))) &&
    (error === undefined || (error !== null && error.code === before?.error?.code))
  );
}

function withoutMessage({ message: _message, ...condition }: Condition): Omit<Condition, "message"> {
  return condition;
}

/** A request for a reconcile is handled once there is an outcome: not while paused, nor while a call is being retried. */
function isHandled({ request, state, resource }: DecisionInput, outcome: Outcome): boolean {
  if (request === null || outcome.is === "paused" || isPaused(resource)) return false;
  return outcome.is === "ready" || outcome.is === "stalled" || !isRetrying(state);
}

function isRetrying({ failure, refusals }: ReconcileState): boolean {
  return (
    failure !== undefined || (refusals !== undefined && Object.keys(refusals).some((step) => step !== "writeStatus"))
  );
}

/** The conditions that stay as they are, because nothing was observed that they depend on. */
function keptConditions({ resource, undeclared }: DecisionInput): readonly Condition[] {
  if (undeclared !== null) return [];
  return resource.status?.conditions?.filter(({ type }) => type === "AccessDeclared") ?? [];
}

function undeclaredOf({ undeclared }: DecisionInput): { readonly undeclared?: Undeclared[] | null } {
  const list = listOfUndeclared(undeclared);
  return list === undefined ? {} : { undeclared: list?.map(boundedUndeclared) ?? null };
}

/** A condition before its generation and its times are filled in. */
type NewCondition = Omit<Condition, "lastTransitionTime" | "observedGeneration">;

function conditionsOf(outcome: Outcome, observed: DecisionInput): NewCondition[] {
  const others = [referencesResolved(observed), ...accessConditions(observed)];
  if (outcome.is === "ready") {
    return [newCondition("Ready", "True", "Available", messages.ready(observed.kind.noun)), ...others];
  }
  if (outcome.is === "paused") return [newCondition("Ready", "Unknown", "Paused", messages.paused()), ...others];
  const ready = newCondition("Ready", "False", outcome.reason, boundedMessage(outcome.message));
  if (outcome.is === "failing") return [ready, ...others];
  return [ready, { ...ready, type: outcome.is === "stalled" ? "Stalled" : "Reconciling", status: "True" }, ...others];
}

function accessConditions({ undeclared }: DecisionInput): NewCondition[] {
  const condition = accessDeclared(undeclared);
  return condition === undefined ? [] : [{ type: "AccessDeclared", ...condition }];
}

function referencesResolved({ references, resource }: DecisionInput): NewCondition {
  const type = "ReferencesResolved";
  switch (references.are) {
    case "resolved":
      return newCondition(type, "True", "Available", messages.referencesResolved());
    case "waiting":
      return newCondition(type, "False", references.reason, boundedMessage(references.message));
    case "denied":
      return newCondition(type, "False", "TenantDenied", boundedMessage(references.message));
    case "invalid":
      return newCondition(type, "False", "InvalidSpec", boundedMessage(references.message));
    case "unread":
      return (
        reportedReferences(resource) ?? newCondition(type, "Unknown", "PlatformUnavailable", messages.rolesUnread())
      );
    case "unreadKind":
      return newCondition(
        type,
        "Unknown",
        "KubernetesForbidden",
        kubernetesMessages.referencedKindUnread(references.path, references.kind),
      );
  }
}

/** What the status says of the references of this spec. That a new leader has not read the roles yet does not change it. */
function reportedReferences({ status, metadata }: DecisionInput["resource"]): Condition | undefined {
  return status?.conditions?.find(
    ({ type, observedGeneration }) => type === "ReferencesResolved" && observedGeneration === metadata.generation,
  );
}

function newCondition(type: ConditionType, status: Condition["status"], reason: Reason, message: string): NewCondition {
  return { type, status, reason, message };
}

function withTimes(
  condition: NewCondition,
  generation: number,
  now: string,
  before: readonly Condition[] | undefined,
): Condition {
  const previous = before?.find(({ type }) => type === condition.type);
  const lastTransitionTime = previous?.status === condition.status ? previous.lastTransitionTime : now;
  return { ...condition, observedGeneration: generation, lastTransitionTime };
}

function errorOf(error: PlatformError | undefined, now: string, before: StatusError | undefined): StatusError | null {
  if (error === undefined) return null;
  const next: StatusError = {
    code: error.code,
    ...(error.reason === "" ? {} : { reason: bounded(error.reason) }),
    ...(error.domain === "" ? {} : { domain: bounded(error.domain) }),
    message: boundedMessage(error.message),
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

function boundedDrift({ field, expected, actual }: Drift): Drift {
  return { field: bounded(field), expected: bounded(expected), actual: bounded(actual) };
}

function boundedUndeclared({ name, role, ...others }: Undeclared): Undeclared {
  return {
    ...others,
    ...(name === undefined ? {} : { name: bounded(name) }),
    ...(role === undefined ? {} : { role: bounded(role) }),
  };
}

function bounded(text: string): string {
  return plainText(text, statusBounds.text);
}

function boundedMessage(text: string): string {
  return plainText(text, statusBounds.message);
}
