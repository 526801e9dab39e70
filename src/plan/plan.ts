import type { Condition } from "#src/api/condition.ts";
import type { UnprovenAbsence } from "./proven-reads.ts";

/** What the operator would do, as plain data. */
export interface Plan {
  /** In the order in which the operator would make them. */
  readonly changes: readonly PlannedChange[];
  /** The objects for which the operator would not, or not only, do what they ask. By kind, namespace and name. */
  readonly refusals: readonly PlannedRefusal[];
  /** Where an empty list proves nothing, so that the plan may lack changes. */
  readonly unproven: readonly UnprovenAbsence[];
}

/**
 * - `create`: a resource that does not exist.
 * - `recreate`: a resource that existed and is gone.
 * - `adopt`: a resource that exists becomes the object's, with the fields that change, if any.
 * - `update`: fields of the object's resource change.
 * - `delete`: the object's resource, or one that nobody declared.
 * - `keep`: the object goes, and its resource stays on the platform.
 */
export type PlannedAction = "create" | "recreate" | "adopt" | "update" | "delete" | "keep";

export interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One change on the platform, or of what belongs to an object. */
export interface PlannedChange {
  readonly action: PlannedAction;
  readonly object: ObjectName;
  readonly resource: PlannedResource;
  /** What changes, or what is created. Markers are left out. */
  readonly fields: readonly FieldChange[];
  /** Why, such as `the object was edited`. */
  readonly reason: string;
  /** The condition Ready that the object has in the end; absent if the object is gone then. */
  readonly condition?: PlannedCondition;
}

export interface PlannedResource {
  /** Such as `role binding`. */
  readonly noun: string;
  /** A placeholder if the resource does not exist yet: see `isPlanned`. */
  readonly uid: string;
  /** The uid of the group that contains the resource; absent for a root group. */
  readonly group?: string;
  readonly name?: string;
}

/** One field. What is absent is null. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
  /** The name of the resource that `to` is the uid of. */
  readonly toName?: string;
}

/** An object that does not become Ready. */
export interface PlannedRefusal {
  readonly object: ObjectName;
  readonly condition: PlannedCondition;
}

export type PlannedCondition = Pick<Condition, "type" | "status" | "reason" | "message">;
