import { sql } from "kysely";
import { bitsOf } from "../collections/event-type.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { ListAdvisoriesRequest } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import type { Condition } from "../resources/row-condition.ts";
import type { Tables } from "../store/schema/tables.ts";

/** The maximum length of a query. A database may reject a longer pattern. */
const maximumQuery = 256;

/** The columns that hold text. */
type TextColumn = {
  [C in keyof Tables["advisories"]]: Tables["advisories"][C] extends string | null ? C : never;
}[keyof Tables["advisories"]];

/**
 * The filters of a request that an index serves. Each selects the advisories that have one of its values; several filters are
 * combined with AND.
 */
export function indexedConditions(request: ListAdvisoriesRequest): Condition<"advisories">[] {
  return [
    ...isOneOf("advisory_id", request.advisoryIds),
    ...isOneOf("legacy_advisory_id", request.legacyAdvisoryIds),
    ...isOneOf("artifact_name", request.artifactNames),
    ...isOneOf("component_name", request.componentNames),
    ...hasAlias(request.aliases),
    ...hadEventLast(request),
  ];
}

/** The other filters of a request, which examine every row. @throws ApiError (3) that names the filter */
export function scannedConditions(request: ListAdvisoriesRequest): Condition<"advisories">[] {
  return [
    ...isOneOf("artifact_type", request.artifactTypes),
    ...isOneOf("artifact_architecture", request.artifactArchitectures),
    ...isOneOf("component_type", request.componentTypes),
    ...isOneOf("component_location", request.componentLocations),
    ...hadEvent(request),
    ...mentions(request.query),
  ];
}

/** Rows whose column has one of the values. An empty list means no filter. */
function isOneOf(column: TextColumn, values: readonly string[]): Condition<"advisories">[] {
  return values.length === 0 ? [] : [(row) => row(column, "in", values)];
}

function hasAlias(aliases: readonly string[]): Condition<"advisories">[] {
  if (aliases.length === 0) return [];
  return [
    (row) =>
      row(
        "uid",
        "in",
        row.selectFrom("advisory_aliases").select("advisory_aliases.advisory_uid").where("alias", "in", aliases),
      ),
  ];
}

/** Advisories with an event of one of the types. The unspecified type is ignored. */
function hadEvent({ eventTypes }: ListAdvisoriesRequest): Condition<"advisories">[] {
  const wanted = eventTypes.filter((type) => type !== 0);
  if (wanted.length === 0) return [];
  return [(row) => row(row("event_types", "&", bitsOf(wanted)), "!=", 0)];
}

function hadEventLast({ latestEventType = 0 }: ListAdvisoriesRequest): Condition<"advisories">[] {
  return latestEventType === 0 ? [] : [(row) => row("latest_event_type", "=", latestEventType)];
}

/** Free text: each word occurs, in any case, in an id, an alias or the name of the artifact or component. */
function mentions(query: string): Condition<"advisories">[] {
  if (query.length > maximumQuery) throw invalidArgument("query", `must have at most ${maximumQuery} characters`);
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.map((word): Condition<"advisories"> => {
    // In SQLite the pattern would end at NUL and match everything.
    if (word.includes("\0")) return (row) => row.lit(false);
    const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
    return (row) => sql<boolean>`${row.ref("search_text")} like ${pattern} escape '\\'`;
  });
}
