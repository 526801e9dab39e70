import { Capability } from "../authorization/capability.ts";
import { type Advisory, AdvisorySchema } from "../gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";
import { bitsOf, eventTypeOf, latestEventType } from "./event-type.ts";

/** Advisories belong to a group. They have no name, and their aliases are in a separate table. */
export const advisories = new Collection({
  schema: AdvisorySchema,
  table: "advisories",
  type: "advisory",
  types: "advisories",
  listCapability: Capability.CAP_ADVISORIES_LIST,
  sortable: ["uid", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: {
    advisory_id: ({ advisoryId }) => advisoryId,
    legacy_advisory_id: ({ legacyAdvisoryId }) => legacyAdvisoryId ?? null,
    artifact_name: ({ artifactName }) => artifactName,
    artifact_type: ({ artifactType }) => artifactType,
    artifact_architecture: ({ artifactArchitecture }) => artifactArchitecture,
    component_name: ({ componentName }) => componentName,
    component_type: ({ componentType }) => componentType,
    component_location: ({ componentLocation }) => componentLocation,
    event_types: ({ events }) => bitsOf(events.map(eventTypeOf)),
    latest_event_type: ({ events }) => latestEventType(events),
    search_text: searchTextOf,
  },
});

function searchTextOf(advisory: Advisory): string {
  const { advisoryId, legacyAdvisoryId = "", aliases, artifactName, componentName } = advisory;
  return [advisoryId, legacyAdvisoryId, ...aliases, artifactName, componentName].join("\n").toLowerCase();
}
