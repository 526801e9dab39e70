import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type AdvisoryEvent,
  EventTypeFilter,
  EventTypeFilterSchema,
} from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";

const filterOfCase: Readonly<Record<NonNullable<AdvisoryEvent["type"]["case"]>, EventTypeFilter>> = {
  detection: EventTypeFilter.DETECTION,
  truePositiveDetermination: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
  fixed: EventTypeFilter.FIXED,
  falsePositiveDetermination: EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
  analysisNotPlanned: EventTypeFilter.ANALYSIS_NOT_PLANNED,
  fixNotPlanned: EventTypeFilter.FIX_NOT_PLANNED,
  pendingUpstreamFix: EventTypeFilter.PENDING_UPSTREAM_FIX,
  patched: EventTypeFilter.PATCHED,
};

export function eventTypeOf({ type }: AdvisoryEvent): EventTypeFilter {
  return type.case === undefined ? EventTypeFilter.UNSPECIFIED : filterOfCase[type.case];
}

/** One bit for each type; none for the unspecified type and for unknown numbers. */
export function bitsOf(types: Iterable<EventTypeFilter>): number {
  let bits = 0;
  for (const type of types) if (type > 0 && EventTypeFilterSchema.value[type] !== undefined) bits |= 1 << type;
  return bits;
}

/** The type of the latest event. Of two with the same time, the later one in the list counts. */
export function latestEventType(events: readonly AdvisoryEvent[]): EventTypeFilter {
  let latest: AdvisoryEvent | undefined;
  for (const event of events) if (latest === undefined || timeOf(event) >= timeOf(latest)) latest = event;
  return latest === undefined ? EventTypeFilter.UNSPECIFIED : eventTypeOf(latest);
}

function timeOf({ createTime }: AdvisoryEvent): number {
  return createTime === undefined ? Number.NEGATIVE_INFINITY : timestampMs(createTime);
}
