import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { missingPostgres } from "./src/platform/tests/find-postgres.testing.ts";
import { recordedFile, recordingVariable, withRecording } from "./test/decisions/recording-source.ts";
import { cacheFolder } from "./test/support/go-program/build.ts";
import { costsVariable } from "./test/support/file-costs/file-cost.ts";
import { suitesOfOtherTurns } from "./test/support/turn/suites-in-turn.ts";
import { TurnReporter } from "./test/support/turn/turn-reporter.ts";
import { turnOf, turnVariable } from "./test/support/turn/turn.ts";

// The tests start hundreds of processes of Node, which need half of the CPU time to start if they find compiled code.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("node_modules/.cache/compile", import.meta.url));

/**
 * The files in src/platform/tests that run on PostgreSQL, too, with what can differ there. All other behavior is that of code above
 * the store. What a client can observe of it, the conformance suite checks on each backend.
 */
const onPostgres = {
  advisories: "free text: patterns, escapes and case",
  "audit-share": "amounts that replicas reserve together",
  concurrency: "transactions of replicas at the same time",
  "ended-tokens": "what another replica, or a transaction that began earlier, sees of a change",
  "exchange-transaction": "a change between the transactions of an exchange",
  initialization: "the schema, and a first start of several replicas",
  load: "thousands of writes in one transaction, and its end by a signal",
  "login-races": "codes, consents and invites that replicas use at the same time",
  "named-admins": "the number of tokens, of which the expired ones go",
  "page-bytes": "pages that end before their number of rows",
  people: "text compared with and without case",
  refresh: "the deletion of the oldest rows of many",
  "resource-limits": "counts that a refused write must not change",
  "rotate-keys": "one transaction that seals everything again",
  settings: "unique names",
  "signing-keys": "keys that replicas create together, also while the database is locked",
};
const postgresTests = Object.keys(onPostgres).map((name) => `src/platform/tests/${name}.test.ts`);
const missingTest = postgresTests.find((file) => !existsSync(new URL(file, import.meta.url)));
if (missingTest !== undefined) throw new Error(`vitest.config.ts: ${missingTest} does not exist`);

// Without PostgreSQL, report that its tests are skipped. With `CI=true` nobody would read the report, so they fail.
const missing = missingPostgres();
if (missing !== undefined) process.stderr.write(`SKIPPED all tests of the API on PostgreSQL: ${missing.message}\n`);

const simulation = "test/operator/simulation/**/*.test.ts";
const endToEnd = "test/e2e/*.test.ts";
const platformSuites = "test/platform/**/*.test.ts";
/**
 * Files of a project share the modules of their worker: to load them again for each file took two fifths of the CPU time. A
 * file must therefore leave modules and the process as it found them.
 */
const shared = { isolate: false };
const cores = availableParallelism();
/** Tests of processes wait most of their time. Each may have a control plane, which takes a gibibyte with what it serves. */
const waiting = { ...shared, maxWorkers: Math.min(cores * 3, 8), sequence: { groupOrder: 0 } };
/** All other tests compute, so that more workers than cores would only load the modules more often. They start after those that wait. */
const computing = { ...shared, maxWorkers: Math.min(cores + 1, 8), sequence: { groupOrder: 1 } };
const slow = { testTimeout: 120_000, hookTimeout: 600_000 };
const buildsProgram = { globalSetup: "test/support/harness/build-program.ts" };

/** What Vitest loads instead of transforming a file again. `npm ci` would delete it in node_modules. */
const transformed = join(cacheFolder(), "transformed");
/** Each version of a file adds one; a whole run has about 3,000. */
const mostTransformed = 15_000;
if (existsSync(transformed) && readdirSync(transformed).length > mostTransformed) {
  // Another run may write into the folder meanwhile.
  const old = `${transformed}.${process.pid}`;
  renameSync(transformed, old);
  rmSync(old, { recursive: true, force: true });
}

const turn = turnOf(import.meta.dirname, Date.now(), process.env[turnVariable]);
// For the workers.
process.env[turnVariable] = turn.text;

const measuresCosts = process.env[costsVariable] !== undefined;
/** Simulations that say themselves which objects have the finalizer before any leader has seen them, or that start no leader. */
const choosesFinalizers = [
  "equal-grants",
  "fault-points",
  "foreign-dependents",
  "import",
  "never-recorded",
  "plan-equals-act",
  "replay",
  "unled",
];
/** Simulations of what happens to objects that are Ready. These have the finalizer with and without the policy. */
const beginsReady = [
  "captured-roles",
  "created-again",
  "expired-elsewhere",
  "fresh-reads",
  "identity-provider-people",
  "identity-provider-secret",
  "lost-statuses",
  "outage",
  "recorded-expiry",
  "relist",
  "tenants-undeclared",
  "undeclared-*",
  "woken-by-*",
];
/** The project `admission` leaves them to nightly runs. */
const alikeWithAdmission = [...choosesFinalizers, ...beginsReady].map(
  (name) => `test/operator/simulation/${name}.test.ts`,
);

/** Whether the decisions of the policy are recorded, for `npm run decisions`. */
const recordsDecisions = process.env[recordingVariable] !== undefined;
const recorder = {
  name: "record-decisions",
  enforce: "pre" as const,
  transform: (source: string, file: string) => (file.endsWith(recordedFile) ? withRecording(source) : undefined),
};

// The projects differ in what they need. `unit` needs only this process and loopback. `postgres` runs tests of the
// platform again where PostgreSQL can differ. `integration` simulates the operator and tests the platform from outside, which
// takes minutes. `admission` simulates the operator again: an admission policy adds the finalizer, and what a test applies at first
// exists before any operator leads. `cluster` needs a real kube-apiserver (see test/support/control-plane) and starts Muster as processes.
// `e2e` installs Muster in a cluster with a node (see test/node).
export default defineConfig({
  // Has how long each file took, so that the longest of a project start first. `npm ci` would delete it in node_modules.
  cacheDir: join(cacheFolder(), "vite"),
  plugins: recordsDecisions ? [recorder] : [],
  test: {
    fsModuleCachePath: transformed,
    setupFiles: [
      // Its hook is to run last, so it is the first.
      ...(measuresCosts ? ["test/support/file-costs/measure-file.ts"] : []),
      ...(recordsDecisions ? ["test/decisions/flush-after-file.ts"] : []),
    ],
    reporters: [
      "default",
      ...(measuresCosts ? ["./test/support/file-costs/cost-reporter.ts"] : []),
      new TurnReporter(turn),
      "./scripts/count-reporter.ts",
    ],
    globalSetup: "src/platform/tests/provide-databases.testing.ts",
    provide: { backend: "sqlite" },
    projects: [
      {
        extends: true,
        // A few work through thousands of cases, beside tests of processes that take all cores.
        test: {
          ...computing,
          name: "unit",
          include: [
            "{src,scripts}/**/*.test.ts",
            "test/{decisions,mutants,planted-bugs,support,support/{bench,turn}}/*.test.ts",
            "test/manifests/{every-field,schemas}.test.ts",
          ],
          testTimeout: 30_000,
          // The first database on PostgreSQL waits for its server.
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          ...computing,
          name: "postgres",
          include: missing === undefined || process.env["CI"] === "true" ? postgresTests : [],
          provide: { backend: "postgres" },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: { ...computing, name: "integration", include: [simulation, platformSuites], ...slow, ...buildsProgram },
      },
      {
        extends: true,
        test: {
          ...computing,
          name: "admission",
          include: [simulation],
          exclude: process.env["MUSTER_SIMULATIONS"] === "all" ? [] : alikeWithAdmission,
          env: { MUSTER_ADMISSION: "all" },
          ...slow,
        },
      },
      {
        extends: true,
        test: {
          ...waiting,
          name: "cluster",
          include: ["{test,demo}/**/*.test.ts"],
          exclude: [
            endToEnd,
            simulation,
            platformSuites,
            "test/{decisions,mutants,planted-bugs,support,support/{bench,turn}}/*.test.ts",
            "test/manifests/{every-field,schemas}.test.ts",
            ...suitesOfOtherTurns(turn.text, process.argv),
          ],
          ...slow,
          ...buildsProgram,
        },
      },
      {
        extends: true,
        // Each file has a cluster to itself. After a change of src/, the image is built before a test begins.
        test: { name: "e2e", include: [endToEnd], ...slow, hookTimeout: 1_800_000, fileParallelism: false },
      },
    ],
  },
});
