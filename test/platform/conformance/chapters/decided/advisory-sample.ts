import type { Json } from "../../client/api.ts";
import { Skip } from "../../expect.ts";
import type { World } from "../../world.ts";

/** An event of an advisory, in which one field tells its type. */
export type Event = Readonly<Record<string, unknown>> & { readonly createTime?: string };
export type Advisory = Json & { readonly advisoryId: string; readonly events: readonly Event[] };

/** The types of events: their field and, in a filter, the end of their name. */
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

/** Some advisories that are there, as there is no method to make one. @throws Skip where there are none */
export async function sampleOf(world: World): Promise<readonly Advisory[]> {
  const rows = await world.rows("advisories", { uidp: { descendantsOf: world.root }, pageSize: 20 });
  if (rows.length === 0) throw new Skip("there are no advisories below the root to look at");
  return rows as readonly Advisory[];
}

export const uidsOf = (advisories: readonly Advisory[]) => advisories.map(({ uid }) => uid);
