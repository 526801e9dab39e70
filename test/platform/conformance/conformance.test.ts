import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseFaultRule } from "#src/platform/faults/fault-rule.ts";
import type { PlatformSettings } from "#src/platform/service/platform-settings.ts";
import { describeIfPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { loadInto } from "#src/platform/tests/load-into.testing.ts";
import { newPostgresDatabase } from "#src/platform/tests/new-database.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { inTurn, oneIn } from "#test/support/turn/in-turn.ts";
import { MutantPlatform, combined } from "./mutant-platform.ts";
import { mutants } from "./mutants.ts";
import { Connection } from "./connection.ts";
import { Report } from "./report.ts";
import { type Result, run } from "./run.ts";
import { sampleAdvisories } from "./sample-advisories.ts";
import type { Target } from "./settings.ts";
import { sections, nameOf, select, type Trial, trialsOf } from "./suite.ts";

const trials = trialsOf(sections);
const overRest = select(trials, "(REST)");
/** Both transports end in the same services: all requirements on gRPC itself, each method, and those of the others that have their turn. */
const ofGrpc = new Set(["grpc.", "reflection.", "methods."].flatMap((pattern) => select(trials, pattern)));
const overBoth = [...new Set([...overRest, ...ofGrpc, ...inTurn(trials.filter((one) => !overRest.includes(one)))])];
/** A whole run makes thousands of calls while other tests run. */
const timeout = 300_000;

interface Options {
  /** By default all. */
  readonly of?: readonly Trial[];
  readonly pattern?: string;
  readonly target?: Partial<Target>;
}

async function results(
  platform: RunningPlatform,
  { of = trials, pattern, target }: Options = {},
): Promise<readonly Result[]> {
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
    return await run(select(of, pattern), { connection, parallel: 8, signal, onResult: () => {} });
  } finally {
    await connection.close();
  }
}

/** The report of the results that did not pass. */
function problemsOf(all: readonly Result[]): string {
  let text = "";
  const report = new Report(
    (more) => {
      text += more;
    },
    (clean) => clean,
  );
  for (const result of all) if (result.verdict.kind !== "passed") report.add(result);
  return text;
}

const failed = (all: readonly Result[]) =>
  all.filter(({ verdict }) => verdict.kind === "failed").map(({ trial }) => nameOf(trial));

async function contentOf({ admin }: RunningPlatform): Promise<unknown> {
  const list = async (collection: string) => admin.ok("GET", `/iam/v2beta1/${collection}?page_size=200`);
  return [await list("groups"), await list("identities"), await list("roles"), await list("roleBindings")];
}

/** @param of the trials to run */
function passesOn(
  transports: string,
  start: (settings: Partial<PlatformSettings>) => Promise<RunningPlatform>,
  of: readonly Trial[],
): void {
  it(`meets every requirement over ${transports}, and keeps nothing that the suite created`, {
    timeout,
  }, async () => {
    const platform = await start({});
    await loadInto(platform, sampleAdvisories);
    try {
      const before = await contentOf(platform);
      const all = await results(platform, { of });
      expect(problemsOf(all)).toBe("");
      expect(all).toHaveLength(of.length);
      expect(all.length * oneIn).toBeGreaterThan(trials.length / 3);
      expect(await contentOf(platform)).toEqual(before);
    } finally {
      await platform.stop();
    }
  });
}

describe("our platform on SQLite", () => {
  passesOn("REST and gRPC", (settings) => RunningPlatform.start(settings), overBoth);

  it("meets every requirement with the settings in which platforms of this family differ", { timeout }, async () => {
    const settings = {
      uniqueNames: true,
      deleteResponse: "object",
      unknownFields: "ignore",
      vendorAlias: "acme",
    } as const;
    const platform = await RunningPlatform.start(settings);
    await loadInto(platform, sampleAdvisories);
    try {
      // Over gRPC, only the vendor's name differs.
      const of = inTurn([...new Set(["(REST)", "grpc.", "reflection."].flatMap((pattern) => select(trials, pattern)))]);
      const all = await results(platform, { of, target: { vendor: "acme" } });
      expect(all.length * oneIn).toBeGreaterThan(trials.length / 2);
      expect(problemsOf(all)).toBe("");
    } finally {
      await platform.stop();
    }
  });

  it("meets the requirements on groups with a consistency lag, which the suite waits for", async () => {
    const platform = await RunningPlatform.start({ consistencyLag: 100 });
    // The lag of the root group itself has passed.
    platform.advance(1_000);
    try {
      const all = await results(platform, { pattern: "4.1", target: { consistencyLag: 110 } });
      expect(all.length).toBeGreaterThan(10);
      expect(problemsOf(all)).toBe("");
    } finally {
      await platform.stop();
    }
  });
});

describeIfPostgres("our platform on PostgreSQL", () => {
  // The transport is above the store, and the run on SQLite covers both. What can differ, the project `postgres` tests.
  passesOn(
    "REST",
    async (settings) => RunningPlatform.start(settings, { database: await newPostgresDatabase() }),
    inTurn(overRest),
  );
});

describe("a mutant", () => {
  let platform: RunningPlatform;
  let failing: readonly string[];
  const expected = new Set(mutants.flatMap((mutant) => mutant.failing.map((name) => `${name} (REST)`)));
  const isExpected = (trial: Trial) => expected.has(nameOf(trial));
  const others = inTurn(overRest.filter((trial) => !isExpected(trial)));
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    // All mutations at once: each run takes a while.
    const mutant = await MutantPlatform.start(platform.url, combined(mutants.map(({ mutation }) => mutation)));
    const { url } = mutant;
    const of = [...overRest.filter(isExpected), ...others];
    failing = failed(await results(platform, { of, target: { url, grpcUrl: undefined } }));
    await mutant.stop();
  }, timeout);
  afterAll(() => platform.stop());

  it.each(mutants)("fails its cases: $what", ({ failing: its }) => {
    expect(failing).toEqual(expect.arrayContaining(its.map((name) => `${name} (REST)`)));
  });

  it("fails no other case", () => {
    expect(others.length).toBeGreaterThan(10);
    expect(failing.filter((name) => !expected.has(name))).toEqual([]);
  });
});

describe("a platform with a fault in one method", () => {
  it("fails the method's case over both transports", { timeout }, async () => {
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
  it("gives every requirement and every trial a unique name", () => {
    const ids = sections.flatMap(({ requirements }) => requirements.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)]);
    const names = trials.map(nameOf);
    expect(names).toEqual([...new Set(names)]);
  });

  it("finds the cases of requirements that others cover", () => {
    const all = sections.flatMap(({ requirements }) => requirements);
    const withCases = new Set(all.filter((requirement) => "cases" in requirement).map(({ id }) => id));
    const named = all.flatMap((requirement) => ("coveredBy" in requirement ? requirement.coveredBy : []));
    expect(named.filter((id) => !withCases.has(id))).toEqual([]);
  });

  it("starts an id with a digit if and only if the contract states the requirement", () => {
    for (const { origin, requirements } of sections)
      for (const { id } of requirements) expect(id, id).toMatch(origin === "contract" ? /^\d/ : /^[a-z]/);
  });

  it("deletes nothing outside of its own group, even if List ignores its scope", async () => {
    const platform = await RunningPlatform.start();
    const group = await platform.admin.group(platform.root, "outside");
    await platform.admin.identity(group);
    await platform.admin.identity(platform.root);
    const before = await contentOf(platform);
    const mutant = await MutantPlatform.start(platform.url, {
      rewritePath: (path) => path.replace(/uidp\.descendants_of=[^&]*/, ""),
    });
    const all = await results(platform, { pattern: "4.8", target: { url: mutant.url, grpcUrl: undefined } });
    await mutant.stop();
    expect(all.length).toBeGreaterThan(0);
    expect(await contentOf(platform)).toEqual(before);
    await platform.stop();
  });

  it("runs with the token of a group's owner and skips the cases that need the platform's admin", async () => {
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

  it("skips the cases over gRPC without an address of gRPC", async () => {
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
