import { equal, holds, refused, rowsOf, Skip, succeeded } from "../../expect.ts";
import { type Case, type Chapter, overBoth, overRest } from "../../sentence.ts";
import type { World } from "../../world.ts";
import { type Advisory, eventTypes, sampleOf, uidsOf } from "./advisory-sample.ts";

/** Filters by a text, with the field that they look at. */
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

/** Those of a sample that a List with a filter gives, by their uids. */
async function kept(world: World, sample: readonly Advisory[], filter: object): Promise<readonly string[]> {
  const ids = sample.map(({ uid }) => uid);
  return (await world.rows("advisories", { uidp: { ids }, pageSize: 20, ...filter })).map(({ uid }) => uid);
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
    if (one === undefined || other === undefined) throw new Skip(`none of the advisories there has ${field}`);
    const having = (...wanted: string[]) =>
      uidsOf(sample.filter((advisory) => textsOf(advisory, field).some((text) => wanted.includes(text))));
    equal(await kept(world, sample, { [filter]: [one] }), having(one), `those with ${one}`);
    equal(await kept(world, sample, { [filter]: [one, other] }), having(one, other), `those with ${one} or ${other}`);
    equal(await kept(world, sample, { [filter]: ["nobody has this"] }), [], "those with something else");
  }),
) as unknown as readonly [Case, ...Case[]];

/** Filters and order of Lists of advisories. */
export const advisoryFilters: Chapter = {
  title: "Filters and order of advisories",
  origin: "decided",
  sentences: [
    {
      id: "advisories.filters",
      says: "Filters of a List: `advisoryIds`, `legacyAdvisoryIds`, `artifactNames`, `artifactTypes`, `artifactArchitectures`, `componentNames`, `componentTypes`, `componentLocations`, `aliases`; each keeps what has one of its values.",
      cases: filterCases,
    },
    {
      id: "advisories.filters-together",
      says: "Filters that are given together all hold.",
      cases: [
        overBoth(async (world) => {
          const sample = await sampleOf(world);
          const [one, other] = [sample[0], sample.find(({ advisoryId }) => advisoryId !== sample[0]?.advisoryId)];
          if (one === undefined || other === undefined) throw new Skip("there is but one advisory to look at");
          const both = (artifactName: unknown) => ({ advisoryIds: [one.advisoryId], artifactNames: [artifactName] });
          const of = ({ advisoryId, artifactName }: Advisory) =>
            uidsOf(sample.filter((row) => row.advisoryId === advisoryId && row["artifactName"] === artifactName));
          equal(await kept(world, sample, both(one["artifactName"])), of(one), "those of an id and an artifact");
          equal(await kept(world, sample, both("nobody has this")), [], "those of an id and another artifact");
          const query = { uidp: { ids: [one.uid] }, advisoryIds: [other.advisoryId] };
          equal(await world.rows("advisories", query), [], "one by the id of another");
        }),
      ],
    },
    {
      id: "advisories.filter-event-types",
      says: "`eventTypes`: the advisories that have an event of one of these types.",
      cases: [
        overBoth(async (world) => {
          const sample = await sampleOf(world);
          for (const [field, type] of Object.entries(eventTypes)) {
            const having = uidsOf(sample.filter(({ events }) => events.some((event) => field in event)));
            const filter = { eventTypes: [`EVENT_TYPE_FILTER_${type}`] };
            equal(await kept(world, sample, filter), having, `those with ${type}`);
          }
          const either = uidsOf(
            sample.filter(({ events }) => events.some((event) => "fixed" in event || "detection" in event)),
          );
          const filter = { eventTypes: ["EVENT_TYPE_FILTER_FIXED", "EVENT_TYPE_FILTER_DETECTION"] };
          equal(await kept(world, sample, filter), either, "those with either");
        }),
        overRest("a name that is none", async ({ rest }) => {
          const refusal = { code: 3, field: "eventTypes" };
          refused(await rest.list("advisories", { eventTypes: ["FIXED"] }), { code: 3 }, "a List of FIXED");
          const { text } = await rest.send("GET", "/vulnerabilities/v2beta1/advisories?eventTypes=NOPE");
          const failure = JSON.parse(text) as { code: number; message: string; details: [] };
          refused({ ok: false, failure }, refusal, "a List of NOPE");
        }),
      ],
    },
    {
      id: "advisories.filter-latest-event-type",
      says: "`latestEventType`: the advisories whose event that was made last is of this type.",
      cases: [
        overBoth(async (world) => {
          // Which one of two that were made at once is the later is left open.
          const sample = (await sampleOf(world)).filter(({ events }) => {
            const times = events.map(({ createTime = "" }) => Date.parse(createTime)).toSorted((a, b) => a - b);
            return times.length < 2 || times.at(-1) !== times.at(-2);
          });
          if (sample.length === 0) throw new Skip("none of the advisories there has a latest event");
          const latest = ({ events }: Advisory) =>
            events.toSorted((a, b) => Date.parse(a.createTime ?? "") - Date.parse(b.createTime ?? "")).at(-1);
          for (const [field, type] of Object.entries(eventTypes)) {
            const those = uidsOf(sample.filter((advisory) => field in (latest(advisory) ?? {})));
            const filter = { latestEventType: `EVENT_TYPE_FILTER_${type}` };
            equal(await kept(world, sample, filter), those, `those whose latest is ${type}`);
          }
        }),
      ],
    },
    {
      id: "advisories.filter-query",
      says: "`query`: free text; an advisory is found by its id.",
      cases: [
        overBoth(async (world) => {
          const sample = await sampleOf(world);
          for (const { uid, advisoryId } of sample.slice(0, 3))
            holds((await kept(world, sample, { query: advisoryId })).includes(uid), advisoryId, `${uid} found`, "not");
          equal(await kept(world, sample, { query: "nobody-has-this" }), [], "what no advisory has");
        }),
      ],
    },
    {
      id: "advisories.order",
      says: "Order: `uid asc` by default; by times; not by `name`, which advisories lack.",
      cases: [
        overBoth(async (world) => {
          const sample = await sampleOf(world);
          equal(uidsOf(sample), uidsOf(sample).toSorted(), "the uids by default");
          const query = { uidp: { descendantsOf: world.root }, pageSize: 20 };
          for (const [orderBy, field] of [
            ["created_at desc", "createTime"],
            ["update_time desc", "updateTime"],
          ] as const) {
            const rows = await world.rows("advisories", { ...query, orderBy });
            const times = rows.map((row) => Date.parse(row[field]));
            equal(
              times,
              times.toSorted((a, b) => b - a),
              `the times by ${orderBy}`,
            );
          }
          refused(await world.api.list("advisories", { orderBy: "name" }), { code: 3, field: "order_by" }, "by name");
        }),
      ],
    },
    {
      id: "advisories.pages",
      says: "Pages neither repeat nor lose an advisory, and `totalCount` is the same on each.",
      cases: [
        overBoth(async (world) => {
          const sample = await sampleOf(world);
          const query = { uidp: { ids: uidsOf(sample) }, orderBy: "created_at", pageSize: 2 };
          const walked: string[] = [];
          for (let pageToken = ""; walked.length < sample.length; ) {
            const page = await world.api.list("advisories", { ...query, pageToken });
            walked.push(...rowsOf(page, "advisories").map(({ uid }) => uid));
            const { totalCount, nextPageToken = "" } = succeeded(page);
            equal(totalCount, String(sample.length), "totalCount");
            if (nextPageToken === "") break;
            pageToken = nextPageToken;
          }
          equal(walked.toSorted(), uidsOf(sample).toSorted(), "the uids of all pages");
        }),
      ],
    },
  ],
};
