import { equal, holds, rejected, resourcesOf, Skip, succeeded } from "../../expect.ts";
import { type Case, decidedSection, overBoth, overGrpc, overRest, requirement } from "../../requirement.ts";
import type { World } from "../../world.ts";
import { type Advisory, eventTypes, sampleOf, uidsOf } from "./advisory-sample.ts";

/** The filters by text, with the field that they compare. */
const textFilters = {
  advisoryIds: "advisoryId",
  legacyAdvisoryIds: "legacyAdvisoryId",
  artifactNames: "artifactName",
  artifactTypes: "artifactType",
  artifactArchitectures: "artifactArchitecture",
  componentNames: "componentName",
  componentTypes: "componentType",
  componentLocations: "componentLocation",
  aliases: "aliases",
} as const;

/** The uids of the advisories of a sample that a List with a filter returns. */
async function kept(world: World, sample: readonly Advisory[], filter: object): Promise<readonly string[]> {
  const ids = sample.map(({ uid }) => uid);
  return (await world.list("advisories", { uidp: { ids }, pageSize: 20, ...filter })).map(({ uid }) => uid);
}

function textsOf(advisory: Advisory, field: string): readonly string[] {
  const value = advisory[field];
  return (Array.isArray(value) ? (value as string[]) : [value as string | undefined]).filter(
    (text) => text !== undefined && text !== "",
  ) as string[];
}

const filterCases = Object.entries(textFilters).map(([filter, field]) =>
  overBoth(filter, async (world) => {
    const sample = await sampleOf(world);
    const values = [...new Set(sample.flatMap((advisory) => textsOf(advisory, field)))];
    const [one, other] = [values[0], values.at(-1)];
    if (one === undefined || other === undefined) throw new Skip(`no advisory in the sample has ${field}`);
    const having = (...wanted: string[]) =>
      uidsOf(sample.filter((advisory) => textsOf(advisory, field).some((text) => wanted.includes(text))));
    equal(await kept(world, sample, { [filter]: [one] }), having(one), `the advisories with ${one}`);
    equal(
      await kept(world, sample, { [filter]: [one, other] }),
      having(one, other),
      `the advisories with ${one} or ${other}`,
    );
    const part = values.map((value) => value.slice(0, -1)).find((start) => start !== "" && !values.includes(start));
    for (const none of ["no such value", "\0", ...(part === undefined ? [] : [part])])
      equal(await kept(world, sample, { [filter]: [none] }), [], `the advisories with ${JSON.stringify(none)}`);
  }),
) as unknown as readonly [Case, ...Case[]];

/** The filters and the order of a List of advisories. */
export const advisoryFilters = decidedSection("Filters and order of advisories", [
  requirement(
    "advisories.filters",
    "Filters of a List: `advisoryIds`, `legacyAdvisoryIds`, `artifactNames`, `artifactTypes`, `artifactArchitectures`, `componentNames`, `componentTypes`, `componentLocations`, `aliases`; each selects the advisories that have one of its values.",
    ...filterCases,
  ),
  requirement(
    "advisories.filters-together",
    "Filters combine with AND.",
    overBoth(async (world) => {
      const sample = await sampleOf(world);
      const [one, other] = [sample[0], sample.find(({ advisoryId }) => advisoryId !== sample[0]?.advisoryId)];
      if (one === undefined || other === undefined) throw new Skip("the sample has only one advisory");
      const both = (artifactName: unknown) => ({ advisoryIds: [one.advisoryId], artifactNames: [artifactName] });
      const of = ({ advisoryId, artifactName }: Advisory) =>
        uidsOf(sample.filter((row) => row.advisoryId === advisoryId && row["artifactName"] === artifactName));
      equal(
        await kept(world, sample, both(one["artifactName"])),
        of(one),
        "the advisories with the id and the artifact",
      );
      equal(await kept(world, sample, both("no such value")), [], "the advisories with the id and another artifact");
      const query = { uidp: { ids: [one.uid] }, advisoryIds: [other.advisoryId] };
      equal(await world.list("advisories", query), [], "an advisory's uid together with the id of another one");
    }),
  ),
  requirement(
    "advisories.filter-event-types",
    "`eventTypes` selects the advisories that have an event of one of these types.",
    overBoth(async (world) => {
      const sample = await sampleOf(world);
      for (const [field, type] of Object.entries(eventTypes)) {
        const having = uidsOf(sample.filter(({ events }) => events.some((event) => field in event)));
        const filter = { eventTypes: [`EVENT_TYPE_FILTER_${type}`] };
        equal(await kept(world, sample, filter), having, `the advisories with ${type}`);
      }
      const either = uidsOf(
        sample.filter(({ events }) => events.some((event) => "fixed" in event || "detection" in event)),
      );
      const filter = { eventTypes: ["EVENT_TYPE_FILTER_FIXED", "EVENT_TYPE_FILTER_DETECTION"] };
      equal(await kept(world, sample, filter), either, "the advisories with either type");
      const any = { eventTypes: ["EVENT_TYPE_FILTER_UNSPECIFIED"] };
      equal(await kept(world, sample, any), uidsOf(sample), "the advisories with any type");
    }),
    overGrpc("an unknown number", async ({ grpc }) => {
      rejected(await grpc.list("advisories", { eventTypes: [99] }), { code: 3 }, "a List");
    }),
    overRest("an unknown type", async ({ rest }) => {
      const error = { code: 3, field: "eventTypes" };
      rejected(await rest.list("advisories", { eventTypes: ["FIXED"] }), { code: 3 }, "a List of FIXED");
      const { text } = await rest.send("GET", "/vulnerabilities/v2beta1/advisories?eventTypes=NOPE");
      const failure = JSON.parse(text) as { code: number; message: string; details: [] };
      rejected({ ok: false, failure }, error, "a List of NOPE");
    }),
  ),
  requirement(
    "advisories.filter-latest-event-type",
    "`latestEventType` selects the advisories whose event with the latest time has this type.",
    overBoth(async (world) => {
      // The order of two events with the same time is not determined.
      const sample = (await sampleOf(world)).filter(({ events }) => {
        const times = events.map(({ createTime = "" }) => Date.parse(createTime)).toSorted((a, b) => a - b);
        return times.length < 2 || times.at(-1) !== times.at(-2);
      });
      if (sample.length === 0) throw new Skip("no advisory in the sample has a single latest event");
      const latest = ({ events }: Advisory) =>
        events.toSorted((a, b) => Date.parse(a.createTime ?? "") - Date.parse(b.createTime ?? "")).at(-1);
      for (const [field, type] of Object.entries(eventTypes)) {
        const those = uidsOf(sample.filter((advisory) => field in (latest(advisory) ?? {})));
        const filter = { latestEventType: `EVENT_TYPE_FILTER_${type}` };
        equal(await kept(world, sample, filter), those, `the advisories whose latest event is ${type}`);
      }
    }),
    overRest("a number, and an unknown type", async (world) => {
      const sample = await sampleOf(world);
      const named = await kept(world, sample, {
        latestEventType: "EVENT_TYPE_FILTER_FALSE_POSITIVE_DETERMINATION",
      });
      equal(await kept(world, sample, { latestEventType: 4 }), named, "the advisories by the number of the type");
      const unknown = await world.rest.list("advisories", { latestEventType: "EVENT_TYPE_FILTER_NOPE" });
      rejected(unknown, { code: 3, field: "latest_event_type" }, "an unknown type");
    }),
  ),
  requirement(
    "advisories.filter-query",
    "`query` is free text; it finds an advisory by its id.",
    overBoth(async (world) => {
      const sample = await sampleOf(world);
      for (const { uid, advisoryId } of sample.slice(0, 3))
        holds((await kept(world, sample, { query: advisoryId })).includes(uid), advisoryId, `${uid} found`, "not");
      equal(await kept(world, sample, { query: "no-such-id" }), [], "the advisories with an unknown id");
    }),
  ),
  requirement(
    "advisories.order",
    "Order: `uid asc` by default; the times are sortable, but not `name`, which advisories do not have.",
    overBoth(async (world) => {
      const sample = await sampleOf(world);
      equal(uidsOf(sample), uidsOf(sample).toSorted(), "the uids by default");
      const query = { uidp: { descendantsOf: world.root }, pageSize: 20 };
      for (const [orderBy, field] of [
        ["created_at desc", "createTime"],
        ["update_time desc", "updateTime"],
      ] as const) {
        const rows = await world.list("advisories", { ...query, orderBy });
        const times = rows.map((row) => Date.parse(row[field]));
        equal(
          times,
          times.toSorted((a, b) => b - a),
          `the times by ${orderBy}`,
        );
      }
      rejected(await world.api.list("advisories", { orderBy: "name" }), { code: 3, field: "order_by" }, "by name");
    }),
  ),
  requirement(
    "advisories.pages",
    "Pages neither repeat nor skip an advisory and keep the order; `totalCount` is the same on each page.",
    overBoth(async (world) => {
      const sample = await sampleOf(world);
      const uidp = { ids: uidsOf(sample) };
      const query = { uidp, orderBy: "created_at desc", pageSize: 2 };
      const walked: string[] = [];
      for (let pageToken = ""; walked.length < sample.length; ) {
        const page = await world.api.list("advisories", { ...query, pageToken });
        walked.push(...resourcesOf(page, "advisories").map(({ uid }) => uid));
        const { totalCount, nextPageToken = "" } = succeeded(page);
        equal(totalCount, String(sample.length), "totalCount");
        if (nextPageToken === "") break;
        pageToken = nextPageToken;
      }
      const onePage = await world.list("advisories", { uidp, orderBy: "created_at desc", pageSize: 20 });
      equal(
        walked,
        onePage.map(({ uid }) => uid),
        "the uids of all pages",
      );
    }),
  ),
]);
