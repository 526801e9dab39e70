import { AdvisoriesService } from "#src/platform/gen/muster/platform/vulnerabilities/v2beta1/advisory_pb.ts";
import { equal, has, matches, rejected, Skip, succeeded } from "../../expect.ts";
import { decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { type Advisory, type Event, type EventField, eventTypes, sampleOf } from "./advisory-sample.ts";

/** The fields of each event type except detection, which has types of its own. */
const eventFields = {
  truePositiveDetermination: ["note"],
  fixed: ["fixedVersion", "note"],
  falsePositiveDetermination: ["note", "type"],
  analysisNotPlanned: ["note"],
  fixNotPlanned: ["note"],
  pendingUpstreamFix: ["note"],
  patched: ["note", "patchedVersions"],
} as const satisfies Partial<Record<EventField, readonly string[]>>;

const detectionFields = {
  nvdapi: ["cpeFound", "cpeSearched"],
  manual: [],
  scanv1: [
    "artifactVersion",
    "component",
    "componentId",
    "componentLocation",
    "componentType",
    "componentVersion",
    "scanner",
    "scannerVersion",
    "subpackage",
  ],
} as const;

const falsePositives =
  /^TYPE_(UNSPECIFIED|VULNERABILITY_RECORD_ANALYSIS_CONTESTED|COMPONENT_VULNERABILITY_MISMATCH|VULNERABLE_CODE_VERSION_NOT_USED|VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE|VULNERABLE_CODE_NOT_IN_EXECUTION_PATH|VULNERABLE_CODE_CANNOT_BE_CONTROLLED_BY_ADVERSARY|INLINE_MITIGATIONS_EXIST)$/;

/** The type fields that an event has; a valid event has one. */
const typesOf = (event: Event) => (Object.keys(eventTypes) as EventField[]).filter((field) => field in event);

/** Events of a type. @throws {Skip} if there are none */
async function eventsOf(world: World, type: EventField): Promise<readonly Event[]> {
  const filter = { eventTypes: [`EVENT_TYPE_FILTER_${eventTypes[type]}`], pageSize: 20 };
  const rows = await world.list("advisories", { uidp: { descendantsOf: world.root }, ...filter });
  const events = (rows as readonly Advisory[]).flatMap((row) => row.events).filter((event) => type in event);
  if (events.length === 0) throw new Skip(`no advisory below the root has an event of the type ${type}`);
  return events;
}

const eventCases = Object.entries(eventFields).map(([type, fields]) =>
  overBoth(type, async (world) => {
    for (const event of await eventsOf(world, type as EventField))
      equal(Object.keys(event[type] as object).toSorted(), fields, `the fields of ${type}`);
  }),
);

const detectionCases = Object.entries(detectionFields).map(([type, fields]) =>
  overBoth(`detection: ${type}`, async (world) => {
    const detections = (await eventsOf(world, "detection")).map(({ detection }) => detection as object);
    for (const detection of detections)
      equal(
        Object.keys(detection).filter((key) => key in detectionFields).length,
        1,
        "the number of types of a detection",
      );
    const ofType = detections.filter((detection) => type in detection);
    if (ofType.length === 0) throw new Skip(`no advisory below the root has a detection of the type ${type}`);
    for (const detection of ofType)
      equal(Object.keys((detection as Record<string, object>)[type] ?? {}).toSorted(), fields, `the fields of ${type}`);
  }),
);

/** Advisories, which are read-only. */
export const advisories = decidedSection("Advisories", [
  requirement(
    "advisories.uid",
    "An advisory's uid is its parent's uid, `/` and 16 lowercase hex digits.",
    overBoth(async (world) => {
      for (const { uid } of await sampleOf(world)) matches(uid, /^[0-9a-f]{40}(\/[0-9a-f]{16})+$/, "uid");
    }),
  ),
  requirement(
    "advisories.fields",
    "Fields: uid, advisoryId, legacyAdvisoryId, createTime, updateTime, deleteTime, author, artifactName, artifactType, artifactArchitecture, componentName, componentLocation, componentType, aliases, severities, events.",
    overRest("zero values are present; legacyAdvisoryId and deleteTime are absent if unset", async (world) => {
      const texts = ["author", "artifactName", "artifactType", "artifactArchitecture"];
      const components = ["componentName", "componentLocation", "componentType"];
      const lists = ["aliases", "severities", "events"];
      const always = ["uid", "advisoryId", "createTime", "updateTime", ...texts, ...components, ...lists];
      for (const advisory of await sampleOf(world)) {
        const optional = ["legacyAdvisoryId", "deleteTime"].filter((name) => name in advisory);
        equal(Object.keys(advisory).toSorted(), [...always, ...optional].toSorted(), "the names of the fields");
        for (const name of optional) matches(advisory[name], /./, name);
        for (const name of [...texts, ...components]) equal(typeof advisory[name], "string", `the type of ${name}`);
        for (const name of lists) equal(Array.isArray(advisory[name]), true, `whether ${name} is a list`);
      }
    }),
    overBoth("Get and List return the same", async (world) => {
      for (const advisory of (await sampleOf(world)).slice(0, 3))
        equal(succeeded(await world.api.get("advisories", advisory.uid)), advisory, "the advisory that Get returns");
    }),
  ),
  requirement(
    "advisories.severities",
    "severities: {type, score}; the type is one of `TYPE_` UNSPECIFIED, CVSS_V2, CVSS_V3, CVSS_V4.",
    overBoth(async (world) => {
      const all = (await sampleOf(world)).flatMap(({ severities }) => severities as readonly object[]);
      if (all.length === 0) throw new Skip("no advisory in the sample has severities");
      for (const severity of all) {
        equal(Object.keys(severity).toSorted(), ["score", "type"], "the fields of a severity");
        matches((severity as { type: unknown }).type, /^TYPE_(UNSPECIFIED|CVSS_V[234])$/, "its type");
        matches((severity as { score: unknown }).score, /./, "its score");
      }
    }),
  ),
  requirement(
    "advisories.events",
    "events: {uid, createTime, author, reviewer, reviewState} and exactly one type: `detection`, `truePositiveDetermination`, `fixed`, `falsePositiveDetermination`, `analysisNotPlanned`, `fixNotPlanned`, `pendingUpstreamFix`, `patched`.",
    overBoth(async (world) => {
      const events = (await sampleOf(world)).flatMap((advisory) => advisory.events);
      if (events.length === 0) throw new Skip("no advisory in the sample has events");
      const states = /^REVIEW_STATE_(UNSPECIFIED|PENDING|APPROVED|REQUEST_CHANGES|REJECTED)$/;
      for (const event of events) {
        equal(typesOf(event).length, 1, "the number of types of an event");
        for (const field of ["uid", "author", "reviewer"]) equal(typeof event[field], "string", `the type of ${field}`);
        matches(event["reviewState"], states, "reviewState");
      }
    }),
  ),
  requirement(
    "advisories.event-types",
    "fixed {fixedVersion, note}, falsePositiveDetermination {type, note}, patched {patchedVersions, note}, the others {note}; detection is one of nvdapi {cpeSearched, cpeFound}, manual {}, scanv1 {scanner, subpackage, componentId, component, componentVersion, componentType, componentLocation, artifactVersion, scannerVersion}.",
    overBoth("falsePositiveDetermination: its type", async (world) => {
      for (const event of await eventsOf(world, "falsePositiveDetermination"))
        matches((event["falsePositiveDetermination"] as { type: unknown }).type, falsePositives, "type");
    }),
    ...eventCases,
    ...detectionCases,
  ),
  requirement(
    "advisories.no-writes",
    "Advisories have no Create, Update or Delete: code 12.",
    overRest("POST, PATCH, DELETE", async ({ rest, group }) => {
      for (const verb of ["POST", "PATCH", "DELETE"]) {
        const options = verb === "DELETE" ? {} : { body: { advisoryId: "A-1" } };
        const { status, text } = await rest.send(verb, `/vulnerabilities/v2beta1/advisories/${group}`, options);
        equal(status, 501, `the HTTP status of ${verb}`);
        has(JSON.parse(text), { code: 12 }, `the response to ${verb}`);
      }
    }),
    overGrpc("CreateAdvisory, UpdateAdvisory, DeleteAdvisory", async ({ grpc }) => {
      for (const verb of ["Create", "Update", "Delete"]) {
        const { getAdvisory } = AdvisoriesService.method;
        const method = { ...getAdvisory, name: `${verb}Advisory`, localName: `${verb.toLowerCase()}Advisory` };
        rejected(await grpc.send(method, {}), { code: 12 }, `${verb}Advisory`);
      }
    }),
  ),
  requirement(
    "advisories.missing",
    "A missing advisory is code 5.",
    overBoth(async ({ api, group }) => {
      for (const uid of [`${group}/${"0".repeat(16)}`, group, "nonsense"])
        rejected(await api.get("advisories", uid), { code: 5, reason: "NOT_FOUND" }, `reading ${uid}`);
    }),
  ),
]);
