import type { Drift, Exchange, Status, StatusError } from "#src/api/status.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { KubeStepName, MonotonicTime, PlatformStepName, SecretVersion } from "#src/reconcile/observe/observed.ts";
import type { SecretLocation } from "#src/kinds/secret-location.ts";

/** A Kubernetes Event, recorded once the step has succeeded. */
export interface Event {
  readonly type: "Normal" | "Warning";
  readonly reason: EventReason;
  readonly note: string;
}

export type EventReason =
  | "Created"
  | "Updated"
  | "Deleted"
  | "Adopted"
  | "Recovered"
  | "DriftDetected"
  | "DriftCorrected"
  | "Orphaned"
  | "TenantDenied"
  | "UndeclaredAccess";

/** The change of a status, as a merge patch: null removes a field. */
export type StatusPatch = { readonly [K in keyof Omit<Status, "error" | "exchange">]?: Status[K] | null } & {
  readonly error?: StatusErrorPatch | null;
  readonly exchange?: ExchangePatch | null;
};
export type ExchangePatch = { readonly [K in keyof Exchange]: Exchange[K] | null };
export type StatusErrorPatch = { readonly [K in keyof StatusError]: StatusError[K] | null } & Pick<StatusError, "code">;

/** The version of a Secret whose value is sent with a write. The value itself is read when the write is made. */
export interface SecretToSend extends SecretVersion {
  readonly at: SecretLocation;
}

/** The steps that call the platform. A step that failed is not retried before its delay has passed. */
export type PlatformStep =
  /** Read the permissions of the operator's identity, and the roles. */
  | { readonly do: "refreshPermissions" }
  /**
   * List the children of `parent` of the kind of the object, or of `kind`, with a list that starts at or after `startedAfter`. `through`: with the session of the
   * object's Tenant, or, for an object that no Tenant permits, with any that lists the group.
   */
  | {
      readonly do: "list";
      readonly kind?: string;
      readonly parent: string;
      readonly startedAfter: MonotonicTime;
      readonly stable: boolean;
      readonly through?: "anySession";
    }
  /**
   * Read one external resource, of the kind of the object or of `kind`, or prove that it is gone. `startedAfter`: with a read that
   * starts at or after that time, and serves other objects that wait for one. Absent: with a read of its own.
   */
  | { readonly do: "read"; readonly kind?: string; readonly uid: string; readonly startedAfter?: MonotonicTime }
  /** List the children of `parent` with this name, with a list that starts at or after `startedAfter` and may serve other objects. */
  | { readonly do: "listNamed"; readonly parent: string; readonly name: string; readonly startedAfter: MonotonicTime }
  /** Read an identity to which a role is bound, or prove that it is gone. One read serves all objects that wait for it. */
  | { readonly do: "readIdentity"; readonly identity: string }
  /** Read a role that is to be bound, or prove that it is gone. One read serves all objects that wait for it. */
  | { readonly do: "readRole"; readonly role: string }
  /** Read the role bindings of an identity or of a role, in every group that can be seen. */
  | { readonly do: "readGrants"; readonly of: { readonly identity: string } | { readonly role: string } }
  | {
      readonly do: "create";
      readonly parent: string;
      readonly body: Fields;
      /** Identifies the resource whatever its uid: the POST is recorded under this key, in case its response is lost. */
      readonly naturalKey: string;
      readonly secret?: SecretToSend;
      readonly event: Event;
    }
  | {
      readonly do: "update";
      readonly uid: string;
      readonly body: Fields;
      readonly mask: readonly string[];
      /** The differences that the update removes, as people read them. */
      readonly drift: readonly Drift[];
      /** Whether the update reverts a change made outside Kubernetes. Corrections are counted, to detect a fight. */
      readonly correction: boolean;
      /** `removed`: the resource has no secret afterwards. Absent: the one that it has stays. */
      readonly secret?: SecretToSend | "removed";
      readonly event?: Event;
    }
  | { readonly do: "delete"; readonly uid: string; readonly event: Event }
  /** Delete a resource of another kind in this group, which no object declares. */
  | { readonly do: "removeUndeclared"; readonly kind: string; readonly uid: string; readonly event: Event };

/** The steps that call Kubernetes. */
export type KubeStep =
  | { readonly do: "addFinalizer" }
  | { readonly do: "removeFinalizer"; readonly event?: Event }
  /**
   * Write this event, and wait until it is written: nothing else will say it once the object is gone. `about`: nothing can be
   * written into a namespace that is being deleted, and its events go with it.
   */
  | { readonly do: "report"; readonly event: Event; readonly about: "object" | "namespace" }
  /** Read the CustomResourceDefinition, to distinguish the deletion of an object from the removal of its kind. */
  | { readonly do: "readCrd" }
  /** Read the Secret that the spec names. */
  | { readonly do: "readSecret"; readonly at: SecretLocation }
  /** Check whether the Secret at this version may be written; null: one that does not exist. */
  | { readonly do: "checkSecret"; readonly at: SecretLocation; readonly version: SecretVersion | null }
  /** Write the code that this process has of the resource `uid` into the Secret at this version. */
  | {
      readonly do: "writeSecret";
      readonly at: SecretLocation;
      readonly version: SecretVersion;
      readonly uid: string;
    }
  | { readonly do: "writeStatus"; readonly patch: StatusPatch; readonly events?: readonly Event[] };

/**
 * The single next step of a reconcile: at most one write to one system. Its result is observed before the next decision,
 * so that every crash point lies between two steps.
 */
export type Step =
  | PlatformStep
  | KubeStep
  /** Nothing can be done before `until`, unless something that was observed changes. */
  | { readonly do: "wait"; readonly until: MonotonicTime }
  /** The object is as it should be, until `recheckAt` if that is given. */
  | { readonly do: "done"; readonly recheckAt?: MonotonicTime };

/** What is true of every step with a name. */
type StepFacts =
  /** A call to the platform. `staysReady`: while it fails, an object that is Ready stays so, because it changes nothing. */
  | { readonly calls: "platform"; readonly writes: boolean; readonly staysReady: boolean }
  /** A call to Kubernetes. `unlessRefused`: whoever decides it does not look whether Kubernetes refused it a moment ago. */
  | { readonly calls: "kubernetes"; readonly unlessRefused: boolean }
  | { readonly calls: "nothing" };

/** The only list of steps: a step that is not in it does not compile. */
const facts = {
  refreshPermissions: { calls: "platform", writes: false, staysReady: true },
  list: { calls: "platform", writes: false, staysReady: true },
  read: { calls: "platform", writes: false, staysReady: true },
  listNamed: { calls: "platform", writes: false, staysReady: true },
  readIdentity: { calls: "platform", writes: false, staysReady: true },
  readRole: { calls: "platform", writes: false, staysReady: true },
  // It is read before a write that the spec asks for: without it, the object does not become what it says.
  readGrants: { calls: "platform", writes: false, staysReady: false },
  create: { calls: "platform", writes: true, staysReady: false },
  update: { calls: "platform", writes: true, staysReady: false },
  delete: { calls: "platform", writes: true, staysReady: false },
  removeUndeclared: { calls: "platform", writes: true, staysReady: false },
  addFinalizer: { calls: "kubernetes", unlessRefused: true },
  removeFinalizer: { calls: "kubernetes", unlessRefused: true },
  readCrd: { calls: "kubernetes", unlessRefused: true },
  report: { calls: "kubernetes", unlessRefused: false },
  readSecret: { calls: "kubernetes", unlessRefused: false },
  checkSecret: { calls: "kubernetes", unlessRefused: false },
  writeSecret: { calls: "kubernetes", unlessRefused: false },
  writeStatus: { calls: "kubernetes", unlessRefused: false },
  wait: { calls: "nothing" },
  done: { calls: "nothing" },
} as const satisfies Record<Step["do"], StepFacts> & Record<PlatformStepName | KubeStepName, StepFacts>;

/** What the step reports once it has succeeded. One status may say several things that people want to know about. */
export function eventsOf(step: Step): readonly Event[] {
  if (step.do === "writeStatus") return step.events ?? [];
  return "event" in step && step.event !== undefined ? [step.event] : [];
}

/** Whether the step with this name changes something on the platform. */
export function isWrite(step: PlatformStep["do"]): boolean {
  return facts[step].writes;
}

/** Whether an object that is Ready stays so while the step with this name fails. */
export function staysReady(step: PlatformStep["do"]): boolean {
  return facts[step].staysReady;
}

export function isPlatformStep(step: Step): step is PlatformStep {
  return facts[step.do].calls === "platform";
}

/** Whether a refusal of the step by Kubernetes is reported instead of the step, wherever it is decided. */
export function isReportedIfRefused(
  step: Step,
): step is Extract<KubeStep, { do: "addFinalizer" | "removeFinalizer" | "readCrd" }> {
  const known = facts[step.do];
  return known.calls === "kubernetes" && known.unlessRefused;
}

/** `step`, if the object waits or has nothing to do no later than `at`: then it is looked at again. */
export function noLaterThan(step: Step, at: MonotonicTime): Step {
  if (step.do === "done") return { do: "done", recheckAt: Math.min(step.recheckAt ?? at, at) };
  return step.do === "wait" ? { ...step, until: Math.min(step.until, at) } : step;
}
