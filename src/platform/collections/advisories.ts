import { Capability } from "../access/capability.ts";
import { type Advisory, AdvisorySchema } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";
import { bitsOf, eventTypeOf, latestEventType } from "./event-type.ts";

/** Advisories are of a group, as repos are. They have no name, and their aliases have a table of their own. */
export const advisories = new Collection({
  schema: AdvisorySchema,
  table: "advisories",
  type: "advisory",
  types: "advisories",
  listCapability: Capability.CAP_ADVISORIES_LIST,
  sortable: ["uid", "create_time", "update_time"],
  defaultOrder: byUid,
  ownColumns: [
    "advisory_id",
    "legacy_advisory_id",
    "artifact_name",
    "artifact_type",
    "artifact_architecture",
    "component_name",
    "component_type",
    "component_location",
    "event_types",
    "latest_event_type",
    "search_text",
  ],
  columnsOf: (advisory) => ({
    advisory_id: advisory.advisoryId,
    legacy_advisory_id: advisory.legacyAdvisoryId ?? null,
    artifact_name: advisory.artifactName,
    artifact_type: advisory.artifactType,
    artifact_architecture: advisory.artifactArchitecture,
    component_name: advisory.componentName,
    component_type: advisory.componentType,
    component_location: advisory.componentLocation,
    event_types: bitsOf(advisory.events.map(eventTypeOf)),
    latest_event_type: latestEventType(advisory.events),
    search_text: searchTextOf(advisory),
  }),
});

function searchTextOf(advisory: Advisory): string {
  const { advisoryId, legacyAdvisoryId = "", aliases, artifactName, componentName } = advisory;
  return [advisoryId, legacyAdvisoryId, ...aliases, artifactName, componentName].join("\n").toLowerCase();
}
