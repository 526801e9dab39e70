import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadProgress } from "../load/load.ts";
import { LoadError } from "#src/platform/load/load-error.ts";
import { loadFiles, loadInto } from "./load-into.testing.ts";
import { type Json, RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
const folder = mkdtempSync(join(tmpdir(), "muster-load-test-"));
beforeAll(async () => {
  platform = await RunningPlatform.start();
});
afterAll(async () => {
  await platform.stop();
  rmSync(folder, { recursive: true });
});

const digest = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const newGroup = () => platform.admin.group(platform.root);

type Listed = Json & { readonly [collection: string]: readonly Json[] };
const paths = { repos: "registry", tags: "registry", advisories: "vulnerabilities" } as const;
const listed = async (collection: keyof typeof paths, group: string, query = "") =>
  (await platform.admin.ok(
    "GET",
    `/${paths[collection]}/v2beta1/${collection}?page_size=200&uidp.descendants_of=${group}&${query}`,
  )) as Listed;
const everyForm = "include_referrers=true&include_dates=true&include_epochs=true";

/** The errors that `load` reports for the documents, without the file name. */
async function errorsIn(documents: readonly object[], group?: string): Promise<readonly string[]> {
  const error = await loadInto(platform, documents, group).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(LoadError);
  return (error as LoadError).errors.map(({ message }) => message.replace(/^.*documents\.jsonl, /, ""));
}

const outcomes = (created: number, updated: number, unchanged: number) => ({ created, updated, unchanged });

describe("muster platform load", () => {
  it("creates the repos, tags and advisories of the examples below the first root group", async () => {
    const result = await loadFiles(platform, ["examples/platform"]);
    expect(result).toEqual({ Repo: outcomes(3, 0, 0), Tag: outcomes(10, 0, 0), Advisory: outcomes(5, 0, 0) });
    const { repos } = await listed("repos", platform.root, "order_by=name");
    expect(repos).toMatchObject([
      { name: "checkout", catalogTier: "CATALOG_TIER_APPLICATION", activeTags: ["2.4", "2.4.1", "latest"] },
      { name: "node-base" },
      { name: "node-base-fips" },
    ]);
    const checkout = repos?.[0]?.uid ?? "";
    expect((await listed("tags", checkout, "order_by=name"))["tags"]?.map(({ name }) => name)).toEqual([
      "2.4",
      "2.4.0",
      "2.4.1",
      "latest",
    ]);
    expect(await listed("tags", checkout, everyForm)).toMatchObject({ totalCount: "7" });
    const { advisories } = await listed("advisories", platform.root, "query=axios&order_by=created_at");
    expect(advisories).toMatchObject([
      {
        advisoryId: "GHSA-jr5f-v2jv-69x6",
        artifactName: "axios",
        artifactType: "npm",
        createTime: "2025-03-07T15:16:00.000Z",
        updateTime: "2025-03-28T14:01:00.000Z",
        severities: [{ type: "TYPE_CVSS_V4" }],
        events: [
          { detection: { manual: {} } },
          { fixed: { fixedVersion: "1.8.2" } },
          { fixed: { fixedVersion: "0.30.0" } },
        ],
      },
      { advisoryId: "SHOP-2026-0001", events: [{}, { reviewState: "REVIEW_STATE_APPROVED" }, {}] },
    ]);
    // The document has two entries for the ranges of one package.
    const { advisories: spawn } = await listed("advisories", platform.root, "advisoryIds=GHSA-3xgq-45jj-v275");
    expect(spawn).toMatchObject([
      { events: [{}, { fixed: { fixedVersion: "7.0.5" } }, { fixed: { fixedVersion: "6.0.6" } }] },
    ]);
  });

  it("changes nothing when it loads the same documents again", async () => {
    const loaded = () =>
      Promise.all([
        listed("repos", platform.root),
        listed("tags", platform.root, everyForm),
        listed("advisories", platform.root),
      ]);
    const before = await loaded();
    platform.advance(60_000);
    expect(await loadFiles(platform, ["examples/platform"])).toEqual({
      Repo: outcomes(0, 0, 3),
      Tag: outcomes(0, 0, 10),
      Advisory: outcomes(0, 0, 5),
    });
    expect(await loaded()).toEqual(before);
  });

  it("updates existing resources, and resets the fields that a document omits", async () => {
    const group = await newGroup();
    const advisory = { kind: "Advisory", advisoryId: "A", artifactName: "a", aliases: ["OLD", "BOTH"] };
    await loadInto(
      platform,
      [
        { kind: "Repo", name: "r", description: "d", aliases: ["x"] },
        { kind: "Tag", repo: "r", name: "latest", digest: digest("1") },
        { ...advisory, events: [{ createTime: "2026-01-01T00:00:00Z", detection: { manual: {} } }] },
      ],
      group,
    );
    const before = {
      repo: (await listed("repos", group))["repos"]?.[0],
      tag: (await listed("tags", group))["tags"]?.[0],
      advisory: (await listed("advisories", group))["advisories"]?.[0],
    };
    platform.advance(60_000);
    const result = await loadInto(
      platform,
      [
        { kind: "Repo", name: "r", description: "e" },
        { kind: "Tag", repo: before.repo?.uid, name: "latest", digest: digest("2") },
        {
          ...advisory,
          aliases: ["NEW", "BOTH"],
          events: [
            { createTime: "2026-01-01T00:00:00Z", detection: { manual: {} } },
            { createTime: "2026-01-02T00:00:00Z", fixed: { fixedVersion: "2" } },
          ],
        },
        { ...advisory, artifactName: "b" },
      ],
      group,
    );
    expect(result).toEqual({ Repo: outcomes(0, 1, 0), Tag: outcomes(0, 1, 0), Advisory: outcomes(1, 1, 0) });
    const { uid, createTime } = before.repo ?? {};
    expect((await listed("repos", group))["repos"]).toMatchObject([{ uid, createTime, description: "e", aliases: [] }]);
    expect((await listed("tags", group))["tags"]).toMatchObject([{ uid: before.tag?.uid, digest: digest("2") }]);
    const [after] = (await listed("advisories", group, "artifactNames=a"))["advisories"] ?? [];
    expect(after).toMatchObject({ uid: before.advisory?.uid, createTime: before.advisory?.createTime });
    expect(Date.parse(after?.updateTime ?? "")).toBeGreaterThan(Date.parse(before.advisory?.updateTime ?? ""));
    const eventsOf = (one: Json | undefined) => one?.["events"] as readonly Json[];
    expect(eventsOf(after)[0]).toEqual(eventsOf(before.advisory)[0]);
    expect(eventsOf(after)).toHaveLength(2);
    for (const [alias, count] of [
      ["OLD", "1"],
      ["NEW", "1"],
      ["BOTH", "2"],
    ])
      expect(await listed("advisories", group, `aliases=${alias}`), alias).toMatchObject({ totalCount: count });
    expect(await listed("advisories", group, "aliases=OLD")).toMatchObject({ advisories: [{ artifactName: "b" }] });
  });

  it("creates a resource in its document's group, or else in the group of the load", async () => {
    const [here, there] = [await newGroup(), await newGroup()];
    await loadInto(
      platform,
      [
        { kind: "Repo", name: "r" },
        { kind: "Repo", name: "r", group: there },
        { kind: "Tag", repo: "r", group: there, name: "latest", digest: digest("1") },
      ],
      here,
    );
    expect(await listed("repos", here)).toMatchObject({ totalCount: "1" });
    expect(await listed("tags", here)).toMatchObject({ totalCount: "0" });
    expect(await listed("tags", there)).toMatchObject({ totalCount: "1" });
  });

  it("creates nothing if one document has an error, even one that only the database shows", async () => {
    const group = await newGroup();
    const good = [
      { kind: "Repo", name: "r" },
      { kind: "Tag", repo: "r", name: "latest", digest: digest("1") },
      { kind: "Advisory", advisoryId: "A", aliases: ["a"] },
    ];
    expect(await errorsIn([...good, { kind: "Repo", name: "Upper" }], group)).toEqual([
      'document 4 (line 4): name: name must match "^[a-z0-9 ._-]{1,}$"',
    ]);
    expect(await errorsIn([...good, { kind: "Tag", repo: "none", name: "a", digest: digest("1") }], group)).toEqual([
      `document 4 (line 4): repo: repo "none" does not exist in group "${group}"`,
    ]);
    for (const collection of ["repos", "tags", "advisories"] as const)
      expect(await listed(collection, group)).toMatchObject({ totalCount: "0" });
    await platform.admin.ok("DELETE", `/iam/v2beta1/groups/${group}`);
  });

  it("reports up to 20 errors with file, document and field", async () => {
    const osv = { id: "X", modified: "2026-01-01T00:00:00Z" };
    const wrong: readonly (readonly [document: object, error: string])[] = [
      [{}, "kind: must be Repo, Tag or Advisory; only OSV documents, which have id and modified, do not need it"],
      [{ kind: "Group", name: "a" }, "kind: must be Repo"],
      [{ kind: "Repo" }, "name: name must match"],
      [{ kind: "Repo", name: "a", nope: 1 }, "nope: unknown field"],
      [{ kind: "Repo", name: "a", group: "here" }, "group: must be the uid of a group"],
      [{ kind: "Repo", name: "a", repo: "b" }, "repo: unknown field"],
      [{ kind: "Repo", name: "a", catalogTier: "GOLD" }, "catalogTier: must be one of"],
      [{ kind: "Tag", name: "a", digest: digest("1") }, "repo: is required"],
      [{ kind: "Tag", repo: "a", name: 1.27, digest: digest("1") }, "name: must be a string"],
      [{ kind: "Tag", repo: "a", name: "a", digest: "latest" }, "digest: must be a digest"],
      [{ kind: "Advisory" }, "advisoryId: is required"],
      [{ kind: "Advisory", advisoryId: "A", uid: platform.root }, "uid: is set by the platform"],
      [{ kind: "Advisory", advisoryId: "A", events: [{ author: "me" }] }, "events[0]: a type is required"],
      [{ kind: "Advisory", advisoryId: "A", events: [{ fixed: {} }] }, "events[0].fixed.fixedVersion: is required"],
      [{ kind: "Advisory", advisoryId: "A", events: [{ fixed: {}, patched: {} }] }, "events[0].patched: only one of"],
      [{ kind: "Advisory", advisoryId: "A", componentName: "x\0" }, "componentName: must not contain NUL"],
      [{ kind: "Advisory", advisoryId: "A", aliases: ["x".repeat(513)] }, "aliases[0]: must have at most 512"],
      [{ ...osv, modified: "yesterday" }, "modified: Invalid"],
      [{ ...osv, affected: [{ package: { name: "a" } }] }, "affected[0].package.ecosystem: Invalid input"],
      [{ ...osv, id: "" }, "id: Too small"],
    ];
    const errors = await errorsIn(wrong.map(([document]) => document));
    expect(errors).toHaveLength(20);
    for (const [index, [, error]] of wrong.entries())
      expect(errors[index]).toContain(`document ${index + 1} (line ${index + 1}): ${error}`);
    const many = Array.from({ length: 30 }, () => ({ kind: "Repo" }));
    expect(await errorsIn(many)).toHaveLength(20);
    const path = file("error.yaml", "# about\nkind: Repo\nname: a\n---\n\nkind: Repo\nname: A\n");
    await expect(loadFiles(platform, [path])).rejects.toThrowError(`${path}, document 2 (line 4): name: name must`);
  });

  it.each([
    [{ group: "0".repeat(40) }, 'group: group "'],
    [{ repo: `${"0".repeat(40)}/${"0".repeat(16)}` }, 'repo: repo "'],
    [{ repo: "twin" }, "has more than one repo"],
  ])("rejects a tag of %j by the content of the database: %s", async (where, error) => {
    const group = await newGroup();
    for (let n = 0; n < 2; n++) await platform.admin.ok("POST", `/registry/v2beta1/repos/${group}`, { name: "twin" });
    const tag = { kind: "Tag", repo: "twin", name: "a", digest: digest("1"), ...where };
    expect(await errorsIn([tag], group)).toEqual([expect.stringContaining(error)]);
  });

  it("maps OSV: a package to artifact and component, versions but not commits, withdrawn to deleted", async () => {
    const group = await newGroup();
    const osv = {
      schema_version: "1.7.0",
      id: "OSV-1",
      modified: "2026-02-01T00:00:00.123456Z",
      published: "2026-01-01T00:00:00+01:00",
      withdrawn: "2026-03-01T00:00:00Z",
      aliases: ["CVE-1"],
      severity: [
        { type: "CVSS_V3", score: "CVSS:3.1/AV:N" },
        { type: "Ubuntu", score: "low" },
      ],
      affected: [
        {
          package: { ecosystem: "Alpine:v3.20", name: "curl", purl: "pkg:apk/alpine/curl?arch=x86_64&distro=3.20" },
          ranges: [
            { type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed: "8.9.1-r0" }] },
            { type: "GIT", repo: "https://example.com/curl", events: [{ introduced: "0" }, { fixed: "0f3a" }] },
          ],
          versions: ["8.9.0-r0"],
        },
        { package: { ecosystem: "Alpine:v3.20", name: "libcurl" }, severity: [{ type: "CVSS_V2", score: "AV:N" }] },
      ],
      database_specific: { anything: [1] },
    };
    const none = { id: "OSV-2", modified: "2026-02-01T00:00:00Z" };
    expect((await loadInto(platform, [osv, none], group)).Advisory).toEqual(outcomes(3, 0, 0));
    const times = { createTime: "2025-12-31T23:00:00.000Z", updateTime: "2026-02-01T00:00:00.123Z" };
    const { advisories } = await listed("advisories", group);
    const byName = (advisories ?? []).toSorted((a, b) =>
      String(a["artifactName"]) < String(b["artifactName"]) ? -1 : 1,
    );
    expect(byName).toMatchObject([
      { advisoryId: "OSV-2", artifactName: "", createTime: "2026-02-01T00:00:00.000Z", events: [{ detection: {} }] },
      {
        ...times,
        advisoryId: "OSV-1",
        deleteTime: "2026-03-01T00:00:00.000Z",
        aliases: ["CVE-1"],
        artifactName: "curl",
        artifactType: "Alpine:v3.20",
        artifactArchitecture: "x86_64",
        componentName: "curl",
        severities: [{ type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N" }],
        events: [
          { createTime: times.createTime, detection: { manual: {} } },
          { createTime: times.updateTime, fixed: { fixedVersion: "8.9.1-r0" } },
        ],
      },
      { artifactName: "libcurl", artifactArchitecture: "", severities: [{ type: "TYPE_CVSS_V2" }], events: [{}] },
    ]);
  });

  it.each(["checking", "writing"] as const)("stops on a signal while %s, and creates nothing", async (phase) => {
    const group = await newGroup();
    const lines = Array.from({ length: 40_000 }, (_, n) => JSON.stringify({ kind: "Repo", name: `r${n}` }));
    const stop = new AbortController();
    const report = (progress: LoadProgress) => {
      if (progress.phase === phase) stop.abort(new Error("stopped by SIGINT"));
    };
    const path = file("many.jsonl", lines.join("\n"));
    await expect(loadFiles(platform, [path], { group, signal: stop.signal, report })).rejects.toThrowError(
      "stopped by SIGINT",
    );
    expect(await listed("repos", group)).toMatchObject({ totalCount: "0" });
  });
});
