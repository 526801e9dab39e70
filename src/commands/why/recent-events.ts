import type { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import { eventResource } from "#src/kube/event.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { oneLine } from "#src/telemetry/one-line.ts";

/** An event of an object. */
export interface RecentEvent {
  /** RFC 3339. */
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly series?: { readonly lastObservedTime?: string } | null;
  readonly regarding?: { readonly uid?: string };
}

const shownEvents = 3;

/** The last events of an object, the newest first; none if those of its namespace cannot be read. */
export async function recentEvents(
  cluster: ClusterReads,
  namespace: string,
  uid: string | undefined,
): Promise<readonly RecentEvent[]> {
  if (uid === undefined) return [];
  const events = await cluster.list<EventObject>(eventResource, namespace);
  if (events.state !== "found") return [];
  return events.value
    .filter(({ regarding }) => regarding?.uid === uid)
    .map(({ deprecatedLastTimestamp, eventTime, note = "", reason = "", series, type = "" }) => ({
      time: oneLine(series?.lastObservedTime ?? eventTime ?? deprecatedLastTimestamp ?? ""),
      type: oneLine(type),
      reason: oneLine(reason),
      note: oneLine(note),
    }))
    .toSorted((one, other) => other.time.localeCompare(one.time))
    .slice(0, shownEvents);
}
