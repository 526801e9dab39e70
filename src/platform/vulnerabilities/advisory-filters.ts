import { sql } from "kysely";
import { invalidArgument } from "../errors/api-error.ts";
import type { ListAdvisoriesRequest } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import type { Condition } from "../resources/row-condition.ts";
import { filterValues, isOneOf } from "../resources/text-filter.ts";
import { bitsOf } from "../collections/event-type.ts";

/** Longer ones find nothing, and a store may refuse the pattern that they would become. */
const maximumQuery = 256;

/**
 * Each filter keeps the advisories that have one of its values; filters that are given together all hold.
 * @throws ApiError (3) that names the filter
 */
export function advisoryConditions(request: ListAdvisoriesRequest): Condition[] {
  return [
    ...isOneOf("advisory_id", request.advisoryIds, "advisory_ids"),
    ...isOneOf("legacy_advisory_id", request.legacyAdvisoryIds, "legacy_advisory_ids"),
    ...isOneOf("artifact_name", request.artifactNames, "artifact_names"),
    ...isOneOf("artifact_type", request.artifactTypes, "artifact_types"),
    ...isOneOf("artifact_architecture", request.artifactArchitectures, "artifact_architectures"),
    ...isOneOf("component_name", request.componentNames, "component_names"),
    ...isOneOf("component_type", request.componentTypes, "component_types"),
    ...isOneOf("component_location", request.componentLocations, "component_locations"),
    ...hasAlias(request.aliases),
    ...hadEvent(request),
    ...hadEventLast(request),
    ...mentions(request.query),
  ];
}

function hasAlias(aliases: readonly string[]): Condition[] {
  if (aliases.length === 0) return [];
  const wanted = filterValues("aliases", aliases);
  return [
    (row) =>
      row(
        "uid",
        "in",
        row.selectFrom("advisory_aliases").select("advisory_aliases.advisory_uid").where("alias", "in", wanted),
      ),
  ];
}

/** Any event of one of the types; the unspecified type asks for nothing. */
function hadEvent({ eventTypes }: ListAdvisoriesRequest): Condition[] {
  const asked = eventTypes.filter((type) => type !== 0);
  if (asked.length === 0) return [];
  return [(row) => row(row("event_types", "&", bitsOf(asked)), "!=", 0)];
}

function hadEventLast({ latestEventType = 0 }: ListAdvisoriesRequest): Condition[] {
  return latestEventType === 0 ? [] : [(row) => row("latest_event_type", "=", latestEventType)];
}

/** Free text: every word of it occurs, in any case, in an id, an alias or the name of the artifact or component. */
function mentions(query: string): Condition[] {
  if (query.length > maximumQuery) throw invalidArgument("query", `must have at most ${maximumQuery} characters`);
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return words.map((word): Condition => {
    // SQLite's pattern would end there and match everything.
    if (word.includes("\0")) return (row) => row.lit(false);
    const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
    return (row) => sql<boolean>`${row.ref("search_text")} like ${pattern} escape '\\'`;
  });
}
