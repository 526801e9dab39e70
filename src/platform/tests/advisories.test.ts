import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadInto } from "./load-into.testing.ts";
import { type Client, type Json, RunningPlatform } from "./running-platform.testing.ts";

const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00.000Z`;
const detection = { createTime: day(1), detection: { manual: {} } };
const fixed = { createTime: day(3), fixed: { fixedVersion: "1.2" } };
/** One event of each type, in the contract's JSON form. */
const everyEvent = [
  { detection: { scanv1: { scanner: "grype", component: "openssl", componentVersion: "3.0", scannerVersion: "1" } } },
  { truePositiveDetermination: { note: "yes" } },
  { fixed: { fixedVersion: "1.2.3", note: "" } },
  { falsePositiveDetermination: { type: "TYPE_INLINE_MITIGATIONS_EXIST", note: "n" } },
  { analysisNotPlanned: { note: "old" } },
  { fixNotPlanned: { note: "end of life" } },
  { pendingUpstreamFix: { note: "waits" } },
  { patched: { patchedVersions: ["1", "2"], note: "" } },
];

const documents = [
  {
    advisoryId: "A-1",
    legacyAdvisoryId: "OLD-1",
    aliases: ["CVE-2026-0001", "GHSA-aaaa"],
    author: "mia",
    artifactName: "nginx",
    artifactType: "oci",
    artifactArchitecture: "x86_64",
    componentName: "openssl",
    componentType: "apk",
    componentLocation: "usr/lib/libssl.so",
    createTime: day(1),
    updateTime: day(3),
    severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
    // Out of order: the latest event is the one with the latest time, not the last of the list.
    events: [fixed, detection],
  },
  {
    advisoryId: "A-2",
    aliases: ["CVE-2026-0002"],
    artifactName: "nginx",
    artifactType: "oci",
    artifactArchitecture: "aarch64",
    componentName: "zlib",
    componentType: "apk",
    createTime: day(2),
    events: [detection],
  },
  {
    advisoryId: "A-3",
    aliases: ["CVE-2026-0001"],
    artifactName: "100%_sure",
    artifactType: "npm",
    componentName: "openssl",
    createTime: day(3),
    deleteTime: day(4),
    events: [],
  },
].map((document) => ({ kind: "Advisory", ...document }));

type Advisories = Json & { readonly advisories: readonly (Json & { readonly advisoryId: string })[] };

let platform: RunningPlatform;
let team: string;
beforeAll(async () => {
  platform = await RunningPlatform.start();
  team = await platform.admin.group(platform.root, "team");
  await loadInto(platform, documents, team);
});
afterAll(() => platform.stop());

const list = async (query: string, client: Client = platform.admin): Promise<Advisories> =>
  (await client.ok("GET", `/vulnerabilities/v2beta1/advisories?${query}`)) as Advisories;

/** The ids of the team's advisories that match a filter. */
async function ids(query: string): Promise<readonly string[]> {
  const { advisories, totalCount } = await list(`uidp.children_of=${team}&${query}`);
  expect(totalCount).toBe(String(advisories.length));
  return advisories.map(({ advisoryId }) => advisoryId).toSorted();
}

describe("advisories", () => {
  it("are returned as they were loaded, with zero values but without unset times", async () => {
    const { advisories } = await list("advisoryIds=A-1");
    const [advisory] = advisories;
    expect(advisory).toEqual({
      uid: expect.stringMatching(new RegExp(`^${team}/[0-9a-f]{16}$`)),
      advisoryId: "A-1",
      legacyAdvisoryId: "OLD-1",
      createTime: day(1),
      updateTime: day(3),
      author: "mia",
      artifactName: "nginx",
      artifactType: "oci",
      artifactArchitecture: "x86_64",
      componentName: "openssl",
      componentLocation: "usr/lib/libssl.so",
      componentType: "apk",
      aliases: ["CVE-2026-0001", "GHSA-aaaa"],
      severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
      events: [
        {
          uid: expect.stringMatching(/\/[0-9a-f]{16}$/),
          createTime: day(3),
          author: "",
          reviewer: "",
          reviewState: "REVIEW_STATE_UNSPECIFIED",
          fixed: { fixedVersion: "1.2", note: "" },
        },
        {
          uid: expect.stringMatching(/\/[0-9a-f]{16}$/),
          createTime: day(1),
          author: "",
          reviewer: "",
          reviewState: "REVIEW_STATE_UNSPECIFIED",
          detection: { manual: {} },
        },
      ],
    });
    expect(await platform.admin.ok("GET", `/vulnerabilities/v2beta1/advisories/${advisory?.uid}`)).toEqual(advisory);
    const [deleted] = (await list("advisoryIds=A-3")).advisories;
    expect(deleted).toMatchObject({ deleteTime: day(4), events: [] });
    expect(deleted).not.toHaveProperty("legacyAdvisoryId");
    expect((await list("advisoryIds=A-2")).advisories[0]).not.toHaveProperty("deleteTime");
  });

  it.each([
    ["query=nginx", ["A-1", "A-2"]],
    ["query=CVE-2026-0001", ["A-1", "A-3"]],
    ["query=ghsa", ["A-1"]],
    ["query=old-1", ["A-1"]],
    ["query=OpenSSL%20nginx", ["A-1"]],
    ["query=%25", ["A-3"]],
    ["query=0%25_S", ["A-3"]],
    ["query=n_inx", []],
    ["query=%5C", []],
    ["query=%27%3B%20--", []],
    ["query=%20", ["A-1", "A-2", "A-3"]],
    ["query=%00", []],
  ])("%s matches if an id, an alias or a name contains each word, ignoring case", async (query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it("have events of every type, with the fields that were loaded", async () => {
    const group = await platform.admin.group(platform.root);
    const events = everyEvent.map((event) => ({ createTime: day(5), ...event }));
    await loadInto(platform, [{ kind: "Advisory", advisoryId: "E", events }], group);
    expect((await list(`uidp.children_of=${group}`)).advisories).toMatchObject([{ events }]);
  });

  it("prevent the deletion of their group", async () => {
    const group = await platform.admin.group(platform.root);
    await loadInto(platform, [{ kind: "Advisory", advisoryId: "X" }], group);
    expect((await platform.admin.delete(`/iam/v2beta1/groups/${group}`)).body).toMatchObject({
      code: 9,
      message: "Precondition failed: cannot delete group with child advisories",
    });
  });
});
