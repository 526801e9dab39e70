import { microTime } from "./micro-time.ts";
import type { KubeObject, ResourceKind } from "./object.ts";

export type EventType = "Normal" | "Warning";

export interface EventDescription {
  readonly type: EventType;
  /** Why it was done or failed, in CamelCase: `Created`. At most 128 characters. */
  readonly reason: string;
  /** What was done or tried, in CamelCase: `Create`. At most 128 characters. */
  readonly action: string;
  /** For people; truncated to 1,024 bytes. */
  readonly note: string;
}

export const eventResource: ResourceKind = {
  group: "events.k8s.io",
  version: "v1",
  plural: "events",
  kind: "Event",
};

/** Something that happened to an object, once or several times, and perhaps to similar objects too. */
export interface Occurrence {
  readonly object: KubeObject;
  readonly event: EventDescription;
  /** Times of the wall clock. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly count: number;
  /** The number of similar events, of other objects or with other notes, that this one stands for. */
  readonly combined: number;
}

/** Who reports an event. */
export interface Reporter {
  readonly reportingController: string;
  readonly reportingInstance: string;
}

/** An `events.k8s.io/v1` Event. */
export function eventOf(
  eventMetadata: { readonly name: string; readonly namespace: string },
  occurrence: Occurrence,
  reporter: Reporter,
): KubeObject {
  const { object, event, firstAt, count, combined } = occurrence;
  const { apiVersion, kind, metadata } = object;
  const { type, reason, action, note } = event;
  const body = {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: eventMetadata,
    eventTime: microTime(firstAt),
    ...reporter,
    regarding: { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid },
    type,
    reason,
    action,
    note: truncate(combined === 0 ? note : `(combined from ${combined + 1} similar events) ${note}`),
  };
  return count === 1 ? body : { ...body, ...seriesOf(occurrence) };
}

/** The count of an event that happened several times. */
export function seriesOf({ count, lastAt }: Pick<Occurrence, "count" | "lastAt">): object {
  return { series: { count, lastObservedTime: microTime(lastAt) } };
}

const maxNoteBytes = 1_024;

/** At most `maxNoteBytes` of UTF-8, without a partial character at the end. */
function truncate(note: string): string {
  if (Buffer.byteLength(note) <= maxNoteBytes) return note;
  const bytes = Buffer.from(note).subarray(0, maxNoteBytes - 3);
  return `${new TextDecoder().decode(bytes, { stream: true })}…`;
}
