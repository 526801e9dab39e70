import { confirmAnnotation } from "#src/api/annotations.ts";
import { declarationsOf } from "#src/commands/access/declarations.ts";
import { readAccessState } from "#src/commands/access/read-state.ts";
import type { Cluster } from "#src/commands/operator/cluster.ts";
import {
  breakerLimitsOf,
  type GoverningValues,
  governingFacts,
  outerBoundOf,
} from "#src/commands/operator/governing-facts.ts";
import { type ObjectLimit, requireFewResources } from "#src/commands/reader/object-limit.ts";
import type { PlatformReader } from "#src/commands/reader/connect-reader.ts";
import type { OperatorValues } from "#src/commands/operator/settings.ts";
import type { UploadedKeys } from "#src/kinds/uploaded-keys.ts";
import { ownerOf } from "#src/platform-client/owner-record.ts";
import { outermostGroups } from "#src/reconcile/tenancy/boundary.ts";
import { makePlan, type PlanOptions } from "#src/plan/make-plan.ts";
import type { ShownPlan } from "./format-plan.ts";
import { plannedAccess } from "./planned-access.ts";

/** What is planned, with what was read. */
export interface PlannedWorld extends Pick<PlanOptions, "kinds" | "cluster" | "clock" | "caller" | "subjects"> {
  readonly facts: Cluster;
  readonly platform: Pick<PlatformReader, "api" | "claims" | "seesEverything">;
  /** Whether everything in Kubernetes is in `cluster`. */
  readonly isWholeCluster: boolean;
  /** The keys that the operator writes into identities; undefined if the platform discovers them. */
  readonly uploaded?: () => UploadedKeys | undefined;
}

/** The settings of the operator that acts. */
export type ActingValues = GoverningValues &
  Pick<OperatorValues, "identity" | "platformTimeout" | "settleTime"> &
  Pick<ObjectLimit, "maxObjects">;

/** What the operator would do, and what that makes of what everybody may do. */
export async function planWithAccess(
  values: ActingValues,
  { facts, isWholeCluster, platform, uploaded = () => undefined, ...world }: PlannedWorld,
  signal: AbortSignal,
): Promise<ShownPlan> {
  const { clock, cluster, kinds } = world;
  const collections = kinds.map(({ collection }) => collection);
  const scopes = outermostGroups(values.rootGroup).map((root) => ({ descendantsOf: root }));
  const limit = { ...values, narrow: "give --root-group a group with fewer, such as that of one Tenant" };
  const reads = await requireFewResources(platform.api, collections, limit, signal, scopes);
  const before = cluster.all();
  const { writes, ...plan } = await makePlan({
    ...governingFacts(values, facts, uploaded),
    ...world,
    reads,
    identity: values.identity,
    owner: ownerOf(facts.ownerId, values.class),
    outer: outerBoundOf(values),
    class: values.class ?? "",
    settleMs: values.platformTimeout + values.settleTime,
    breakerLimits: breakerLimitsOf(values),
    confirmationOf: (tenant) => cluster.find("Tenant", tenant)?.metadata.annotations?.[confirmAnnotation],
    signal,
  });
  if (writes.length === 0) return plan;
  const declarations = declarationsOf([...before, ...cluster.all()], { isWholeCluster, kinds });
  const { caller } = world;
  const claims = platform.claims ?? (typeof caller === "object" ? { ...caller, scopes: undefined } : undefined);
  const state = await readAccessState({ ...platform, claims }, signal);
  return { ...plan, access: plannedAccess(state, { writes, unproven: plan.unproven, declarations, now: clock.now() }) };
}
