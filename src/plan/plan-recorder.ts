import { readyCondition } from "#src/api/condition.ts";
import type { Status } from "#src/api/status.ts";
import { carriedMarker, withoutMarker } from "#src/kinds/marker.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { records } from "#src/kinds/records.ts";
import type { KubeObject } from "#src/kube/object.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import { eventsOf, type Step } from "#src/reconcile/policy/step.ts";
import type { ClusterObject, MemoryCluster } from "./memory-cluster.ts";
import type { PlatformWrite } from "./overlay-platform.ts";
import type { UnprovenAbsence } from "./proven-reads.ts";
import { isPlanned } from "./planned-uid.ts";
import { notSeen } from "./rejected.ts";
import { returnedField } from "./read-form.ts";
import type {
  FieldChange,
  ObjectName,
  Plan,
  PlannedAction,
  PlannedChange,
  PlannedCondition,
  PlannedRefusal,
} from "./plan.ts";

export interface PlanRecorderOptions {
  readonly kinds: readonly Kind[];
  /** Just before the plan is made. */
  readonly cluster: MemoryCluster;
  readonly subjects: ReadonlySet<string> | undefined;
  /** Whether the caller is the operator, so that what the caller lacks is what the operator lacks. */
  readonly isOperator: boolean;
}

/** Turns what the operator does into the plan. */
export class PlanRecorder {
  readonly #options: PlanRecorderOptions;
  /** The objects as they are before the plan, by `Kind namespace/name`. */
  readonly #before = new Map<string, ClusterObject>();
  readonly #changes: PlannedChange[] = [];

  constructor(options: PlanRecorderOptions) {
    this.#options = options;
    for (const { name } of options.kinds)
      for (const object of options.cluster.ofKind(name)) this.#before.set(subjectName(objectName(object)), object);
  }

  /** A step wrote to the platform. */
  wrote(observed: Observed, step: Step, writes: readonly PlatformWrite[]): void {
    const object = objectName(observed.resource);
    for (const write of writes) {
      const action = this.#actionOf(observed, write);
      this.#changes.push({
        action,
        object,
        resource: this.#resourceOf(write.collection, write.uid, write.after ?? write.before),
        fields: write.do === "delete" ? [] : fieldChanges(write),
        reason: reasonOf(action, observed, step),
      });
    }
  }

  plan(unproven: readonly UnprovenAbsence[]): Plan {
    const { cluster, kinds } = this.#options;
    const changes = [...this.#changes];
    const recorded = new Set(changes.map(({ action, object }) => `${action} ${subjectName(object)}`));
    const refusals: PlannedRefusal[] = [];
    for (const { name: kind } of kinds) {
      const names = [...this.#before.values()].filter((object) => object.kind === kind).map(objectName);
      for (const object of names.toSorted((a, b) => (subjectName(a) < subjectName(b) ? -1 : 1))) {
        const after = cluster.find(kind, `${object.namespace}/${object.name}`);
        const change = this.#withoutWrite(object, after, recorded);
        if (change !== undefined) changes.push(change);
        const condition = after === undefined ? undefined : this.#refusalOf(object, after);
        if (condition !== undefined) refusals.push({ object, condition });
      }
    }
    return { changes: changes.map((change) => this.#withCondition(change)), refusals, unproven };
  }

  /** What becomes of a resource without a call to the platform: it is adopted, or kept. */
  #withoutWrite(
    object: ObjectName,
    after: ClusterObject | undefined,
    recorded: ReadonlySet<string>,
  ): PlannedChange | undefined {
    const subject = subjectName(object);
    const before = this.#before.get(subject);
    const [had, has] = [statusOf(before), statusOf(after)];
    const isRecorded = (...actions: readonly PlannedAction[]) =>
      actions.some((action) => recorded.has(`${action} ${subject}`));
    const collection = this.#options.kinds.find(({ name }) => name === object.kind)?.collection.name ?? "";
    const unchanged = { object, fields: [] };
    if (after === undefined && had?.uid !== undefined && manages(had) && !isRecorded("delete", "keep"))
      return {
        ...unchanged,
        action: "keep",
        resource: this.#resourceOf(collection, had.uid, undefined),
        reason: "the object is deleted, and its resource stays on the platform",
      };
    if (!manages(had) && has?.uid !== undefined && has.management === "Adopted" && !isRecorded("adopt"))
      return {
        ...unchanged,
        action: "adopt",
        resource: this.#resourceOf(collection, has.uid, undefined),
        reason: "the resource exists already, as the object describes it",
      };
    return undefined;
  }

  /** Undefined if the object is Ready, or if the plan is about others and the object was like this before. */
  #refusalOf(object: ObjectName, after: ClusterObject): PlannedCondition | undefined {
    const ready = this.#conditionOf(after);
    const isUpToDate = statusOf(after)?.observedGeneration === after.metadata.generation;
    if (ready?.status === "True" && isUpToDate && after.metadata.deletionTimestamp === undefined) return undefined;
    const { subjects } = this.#options;
    const before = this.#conditionOf(this.#before.get(subjectName(object)));
    const isSubject = subjects === undefined || subjects.has(subjectName(object));
    if (!isSubject && before?.status === ready?.status && before?.reason === ready?.reason) return undefined;
    if (ready !== undefined && (isUpToDate || ready.status !== "True")) return ready;
    return {
      type: "Ready",
      status: "Unknown",
      reason: after.metadata.deletionTimestamp === undefined ? "NotServed" : "Deleting",
      message:
        after.metadata.deletionTimestamp === undefined
          ? "no Tenant of this operator selects the namespace, or the namespace is not known"
          : "the object waits to be deleted",
    };
  }

  #actionOf({ resource }: Observed, write: PlatformWrite): PlannedAction {
    const before = this.#before.get(subjectName(objectName(resource)));
    if (write.do === "create") return statusOf(before)?.uid === undefined ? "create" : "recreate";
    if (write.do === "delete") return "delete";
    if (resource.metadata.deletionTimestamp !== undefined) return "keep";
    const status = statusOf(before);
    const isManaged = write.before !== undefined && manages(status) && records(status, write.before);
    return isPlanned(write.uid) || isManaged ? "update" : "adopt";
  }

  #withCondition(change: PlannedChange): PlannedChange {
    const { kind, namespace, name } = change.object;
    const condition = this.#conditionOf(this.#options.cluster.find(kind, `${namespace}/${name}`));
    return condition === undefined ? change : { ...change, condition };
  }

  /** The condition that the object gets. The operator may see what the caller may not: then the condition is not known. */
  #conditionOf(object: ClusterObject | undefined): PlannedCondition | undefined {
    const { error } = statusOf(object) ?? {};
    if (this.#options.isOperator || error?.reason !== notSeen) return conditionOf(object);
    const message = `${error.message}. Ask for a role with this capability, such as viewer, in that group or above.`;
    return { type: "Ready", status: "Unknown", reason: "NotSeen", message };
  }

  #resourceOf(collection: string, uid: string, resource: ExternalResource | undefined): PlannedChange["resource"] {
    const kind = this.#options.kinds.find((one) => one.collection.name === collection);
    const name = resource && kind?.collection.nameOf(resource);
    const group = kind?.collection.uids.parentOf(uid);
    return {
      noun: kind?.noun ?? collection,
      uid,
      ...(group === undefined ? {} : { group }),
      ...(name === undefined ? {} : { name }),
    };
  }
}

function reasonOf(action: PlannedAction, { resource }: Observed, step: Step): string {
  switch (action) {
    case "create":
      return "it does not exist yet";
    case "recreate":
      return "it is gone from the platform";
    case "adopt":
      return "it exists already, and the object takes it over";
    case "update":
      return step.do === "update" && step.correction
        ? "it was changed outside of Kubernetes"
        : "it differs from what the object says";
    case "keep":
      return "the object is deleted, and its resource stays on the platform without our marker";
    case "delete": {
      if (step.do === "removeUndeclared") return "no object declares it, and the Group says undeclared: Remove";
      if (resource.metadata.deletionTimestamp !== undefined) return "the object is deleted";
      return eventsOf(step)[0]?.note ?? "the object does not want it any longer";
    }
  }
}

/** The fields of the request, as the platform shows them. */
function fieldChanges({ before, after, fields }: PlatformWrite): readonly FieldChange[] {
  const changes = fields.flatMap((field) => {
    const shown = returnedField(field);
    const [from, to] = [before, after].map((resource) => valueOf(resource, field) ?? valueOf(resource, shown));
    return JSON.stringify(from) === JSON.stringify(to)
      ? []
      : [{ field: field.endsWith("Uid") ? field : shown, from: from ?? null, to: to ?? null, ...nameIn(after, shown) }];
  });
  const [from = null, to = null] = [before, after].map((resource) => resource && carriedMarker(resource));
  return before === undefined || from === to ? changes : [...changes, { field: "marker", from, to }];
}

/** The name of what a resource refers to, if it is known. */
function nameIn(resource: ExternalResource | undefined, field: string): Pick<FieldChange, "toName"> {
  const value = (resource as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (typeof value !== "object" || value === null || !("uid" in value) || !("name" in value)) return {};
  return typeof value.name === "string" && value.name !== "" ? { toName: value.name } : {};
}

function valueOf(resource: ExternalResource | undefined, field: string): unknown {
  const value = (resource as Readonly<Record<string, unknown>> | undefined)?.[field];
  if (field === "description" && typeof value === "string") return withoutMarker(value) || undefined;
  return typeof value === "object" && value !== null && "uid" in value ? value.uid : value;
}

function objectName({ kind, metadata }: KubeObject): ObjectName {
  return { kind, namespace: metadata.namespace ?? "", name: metadata.name };
}

function subjectName({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace}/${name}`;
}

function statusOf(object: ClusterObject | undefined): Status | undefined {
  return object?.status as Status | undefined;
}

/** Whether the object has a resource that it does not only observe. */
function manages(status: Status | undefined): boolean {
  return status?.uid !== undefined && status.management !== "Observed";
}

function conditionOf(object: ClusterObject | undefined): PlannedCondition | undefined {
  const status = statusOf(object);
  const ready = status && readyCondition({ status });
  return ready && { type: ready.type, status: ready.status, reason: ready.reason, message: ready.message };
}
