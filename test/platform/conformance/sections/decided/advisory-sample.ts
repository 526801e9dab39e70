import type { Json } from "../../client/api.ts";
import { Skip } from "../../expect.ts";
import type { World } from "../../world.ts";

/** An event of an advisory; the name of one field is its type. */
export type Event = Readonly<Record<string, unknown>> & { readonly createTime?: string };
export type Advisory = Json & { readonly advisoryId: string; readonly events: readonly Event[] };

/** The types of events: the name of their field, and the end of their name in a filter. */
export const eventTypes = {
  detection: "DETECTION",
  truePositiveDetermination: "TRUE_POSITIVE_DETERMINATION",
  fixed: "FIXED",
  falsePositiveDetermination: "FALSE_POSITIVE_DETERMINATION",
  analysisNotPlanned: "ANALYSIS_NOT_PLANNED",
  fixNotPlanned: "FIX_NOT_PLANNED",
  pendingUpstreamFix: "PENDING_UPSTREAM_FIX",
  patched: "PATCHED",
} as const;
export type EventField = keyof typeof eventTypes;

/** Up to 20 existing advisories, because the API has no method that creates one. @throws {Skip} if there are none */
export async function sampleOf(world: World): Promise<readonly Advisory[]> {
  const rows = await world.list("advisories", { uidp: { descendantsOf: world.root }, pageSize: 20 });
  if (rows.length === 0) throw new Skip("the root has no advisories");
  return rows as readonly Advisory[];
}

export const uidsOf = (advisories: readonly Advisory[]) => advisories.map(({ uid }) => uid);
