import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseFaultRule } from "#src/platform/faults/fault-rule.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.ts";
import { loadInto } from "#src/platform/tests/load-into.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.ts";
import { BentPlatform, together } from "./bent-platform.ts";
import { brokenSentences } from "./broken-sentences.ts";
import { Connection } from "./connection.ts";
import { Report } from "./report.ts";
import { type Result, run } from "./run.ts";
import { sampleAdvisories } from "./sample-advisories.ts";
import type { Target } from "./settings.ts";
import { chapters, nameOf, select, trialsOf } from "./suite.ts";

const trials = trialsOf(chapters);
/** A whole run makes thousands of calls, and other tests run beside it. */
const timeout = 300_000;

interface Options {
  readonly pattern?: string;
  readonly target?: Partial<Target>;
}

async function results(platform: RunningPlatform, { pattern, target }: Options = {}): Promise<readonly Result[]> {
  const { url, admin } = platform;
  const connection = new Connection({
    url,
    authUrl: url,
    audience: url,
    token: admin.token ?? "",
    root: undefined,
    grpcUrl: url,
    ca: undefined,
    vendor: "muster",
    consistencyLag: 0,
    ...target,
  });
  try {
    const { signal } = new AbortController();
    return await run(select(trials, pattern), { connection, parallel: 8, signal, onResult: () => {} });
  } finally {
    await connection.close();
  }
}

/** What would be printed of those that did not pass. */
function trouble(of: readonly Result[]): string {
  let text = "";
  const report = new Report(
    (more) => {
      text += more;
    },
    (clean) => clean,
  );
  for (const result of of) if (result.verdict.kind !== "passed") report.add(result);
  return text;
}

const failed = (of: readonly Result[]) =>
  of.filter(({ verdict }) => verdict.kind === "failed").map(({ trial }) => nameOf(trial));

async function everythingOf({ admin }: RunningPlatform): Promise<unknown> {
  const of = async (collection: string) => admin.ok("GET", `/iam/v2beta1/${collection}?page_size=200`);
  return [await of("groups"), await of("identities"), await of("roles"), await of("roleBindings")];
}

function passesOn(start: (settings: Partial<PlatformSettings>) => Promise<RunningPlatform>): void {
  it("holds to every sentence over REST and gRPC, and has nothing left of the suite afterwards", {
    timeout,
  }, async () => {
    const platform = await start({});
    await loadInto(platform, sampleAdvisories);
    try {
      const before = await everythingOf(platform);
      const all = await results(platform);
      expect(trouble(all)).toBe("");
      expect(all).toHaveLength(trials.length);
      expect(await everythingOf(platform)).toEqual(before);
    } finally {
      await platform.stop();
    }
  });
}

describe("our platform on SQLite", () => {
  passesOn((settings) => RunningPlatform.start(settings));

  it("holds to every sentence where it behaves as others of the family do", { timeout }, async () => {
    const settings = {
      uniqueNames: true,
      deleteAnswer: "object",
      unknownFields: "ignore",
      vendorAlias: "acme",
    } as const;
    const platform = await RunningPlatform.start(settings);
    await loadInto(platform, sampleAdvisories);
    try {
      // Over gRPC the vendor's name alone makes a difference.
      for (const pattern of ["(REST)", "grpc.", "reflection."]) {
        const all = await results(platform, { pattern, target: { vendor: "acme" } });
        expect(all.length).toBeGreaterThan(10);
        expect(trouble(all)).toBe("");
      }
    } finally {
      await platform.stop();
    }
  });

  it("is waited for where a new group is not known everywhere at once", async () => {
    const platform = await RunningPlatform.start({ consistencyLag: 100 });
    // Its root group is none that is new.
    platform.advance(1_000);
    try {
      const all = await results(platform, { pattern: "4.1", target: { consistencyLag: 110 } });
      expect(all.length).toBeGreaterThan(10);
      expect(trouble(all)).toBe("");
    } finally {
      await platform.stop();
    }
  });
});

describeWithPostgres("our platform on PostgreSQL", (postgres) => {
  passesOn(async (settings) => RunningPlatform.start(settings, { database: await postgres().newDatabase() }));
});

describe("a platform that breaks sentences", () => {
  let platform: RunningPlatform;
  let failing: readonly string[];
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    // All at once: each run tries everything, and that takes a while.
    const bent = await BentPlatform.start(platform.url, together(brokenSentences.map(({ bend }) => bend)));
    const { url } = bent;
    failing = failed(await results(platform, { target: { url, grpcUrl: undefined } }));
    await bent.stop();
  }, timeout);
  afterAll(() => platform.stop());

  it.each(brokenSentences)("$what: its cases fail", ({ failing: its }) => {
    expect(failing).toEqual(expect.arrayContaining(its.map((name) => `${name} (REST)`)));
  });

  it("fails no other case", () => {
    const expected = new Set(brokenSentences.flatMap((broken) => broken.failing.map((name) => `${name} (REST)`)));
    expect(failing.filter((name) => !expected.has(name))).toEqual([]);
  });
});

describe("a platform that breaks a sentence over each transport", () => {
  it("fails its case over each", { timeout }, async () => {
    const fault = parseFaultRule("method=IdentitiesService/LookupIdentity,code=14");
    const platform = await RunningPlatform.start({}, { faults: [fault] });
    try {
      const all = await results(platform, { pattern: "methods." });
      expect(failed(all)).toEqual(["methods.lookup-identity (REST)", "methods.lookup-identity (gRPC)"]);
    } finally {
      await platform.stop();
    }
  });
});

describe("the suite", () => {
  it("names every sentence once, and every case of one", () => {
    const ids = chapters.flatMap(({ sentences }) => sentences.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)]);
    const names = trials.map(nameOf);
    expect(names).toEqual([...new Set(names)]);
  });

  it("tells by its ids what the contract says and what it leaves open", () => {
    for (const { origin, sentences } of chapters)
      for (const { id } of sentences) expect(id, id).toMatch(origin === "contract" ? /^\d/ : /^[a-z]/);
  });

  it("deletes nothing outside of its own groups, whatever a platform lists", async () => {
    const platform = await RunningPlatform.start();
    const group = await platform.admin.group(platform.root, "outside");
    await platform.admin.identity(group);
    await platform.admin.identity(platform.root);
    const before = await everythingOf(platform);
    const bent = await BentPlatform.start(platform.url, {
      asked: (path) => path.replace(/uidp\.descendants_of=[^&]*/, ""),
    });
    const all = await results(platform, { pattern: "4.8", target: { url: bent.url, grpcUrl: undefined } });
    await bent.stop();
    expect(all.length).toBeGreaterThan(0);
    expect(await everythingOf(platform)).toEqual(before);
    await platform.stop();
  });

  it("works with the token of a group's owner too, and skips what needs the platform's admin", async () => {
    const platform = await RunningPlatform.start();
    try {
      const group = await platform.admin.group(platform.root);
      const { token } = await platform.callerWith("owner", group);
      const all = await results(platform, { pattern: "fields.", target: { root: group, token: token ?? "" } });
      expect(failed(all)).toEqual([]);
      const skipped = all.filter(({ verdict }) => verdict.kind === "skipped").map(({ trial }) => nameOf(trial));
      expect(skipped).toEqual(["fields.group.verified: the admin (REST)", "fields.group.verified: the admin (gRPC)"]);
    } finally {
      await platform.stop();
    }
  });

  it("skips what is over gRPC where there is none, and says so", async () => {
    const platform = await RunningPlatform.start();
    try {
      const all = await results(platform, { pattern: "4.7", target: { grpcUrl: undefined } });
      const skipped = all.filter(({ verdict }) => verdict.kind === "skipped");
      expect(skipped.map(({ trial }) => trial.transport)).toEqual(skipped.map(() => "grpc"));
      expect(skipped.length).toBe(all.length / 2);
    } finally {
      await platform.stop();
    }
  });
});
