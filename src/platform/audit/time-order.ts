import { minutes } from "#src/time/durations.ts";
import type { WaitingEvent } from "./security-event.ts";

/**
 * How much earlier the time of a record may be than those of the records before it (ms): the clocks of replicas may differ, or
 * be set back, and events wait before they are recorded. The log is searched by time as if its times increased apart from that.
 */
export const orderToleranceMs = minutes(10);

/** An event that waits for longer (ms) cannot keep its time. The rest of the tolerance is for the clocks. */
const maximumWaitMs = orderToleranceMs / 2;

/**
 * The event as it is recorded now: after a long wait, with the time of its record, and its own time in the field `occurred`. Otherwise
 * a search by time would end at it and hide records that are before it in the log, and later.
 */
export function recordedNow(waiting: WaitingEvent, now: number): WaitingEvent {
  const { event, time } = waiting;
  if (now - time <= maximumWaitMs) return waiting;
  return {
    ...waiting,
    time: now,
    event: { ...event, fields: { ...event.fields, occurred: new Date(time).toISOString() } },
  };
}
