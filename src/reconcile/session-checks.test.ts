import { beforeEach, expect, it } from "vitest";
import type { Outage } from "#src/platform-client/outage.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import type { MissingCapability } from "#src/platform-client/permissions.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { Semaphore } from "#src/runtime/semaphore.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { SessionChecks } from "./session-checks.ts";
import type { SessionReport } from "./tenancy/session-report.ts";

const mismatch = { kind: "ownerMismatch", expected: "cluster-1", recorded: "cluster-2" } as const;
const refused = { kind: "credential", cause: "exchange", message: "refused" } as const;

/** A session whose next reads have these results: the groups that cannot be read, or a failure. */
class FakeSession {
  reads = 0;
  unreadableRoots: readonly string[] = [];
  missingCapabilities: readonly MissingCapability[] = [];
  permissions: object | undefined;
  next: readonly string[] | PlatformFailure = [];
  onRead: () => void = () => undefined;
  onOutage: (outage: Outage | undefined) => void = () => undefined;

  ownerProblem: typeof mismatch | undefined;

  checkOwner = async () => {
    if (this.ownerProblem !== undefined) throw new PlatformFailure("check owner", this.ownerProblem);
  };
  refreshPermissions = () => this.rereadPermissions();
  rereadPermissions = async () => {
    this.reads += 1;
    if (this.next instanceof PlatformFailure) throw this.next;
    this.unreadableRoots = this.next;
    this.permissions = {};
    this.onRead();
  };
  onPermissionsRead = (listener: () => void) => (this.onRead = listener);
  onOutageChange = (listener: FakeSession["onOutage"]) => (this.onOutage = listener);
}

let clock: ManualClock;
let reports: SessionReport[];
let checks: SessionChecks;
let end: AbortController;

beforeEach(() => {
  clock = new ManualClock();
  reports = [];
  end = new AbortController();
  checks = new SessionChecks({
    needs: (_session, capability) => capability !== "CAP_OF_ANOTHER_KIND",
    clock,
    random: () => 0.5,
    limit: new Semaphore(1),
    onReport: (_session, report) => reports.push(report),
  });
});

function start(fake: FakeSession): void {
  void checks.run(fake as unknown as PlatformSession, end.signal);
}

it("reads the permissions of a session once, and never again while it works", async () => {
  const fake = new FakeSession();
  start(fake);
  await clock.advance(3_600_000);
  expect(fake.reads).toBe(1);
  expect(reports).toEqual([{ is: "checked", unreadableRoots: [], missingCapabilities: [] }]);
});

it("checks a session again after 1, 2 and 4 s, then every minute, until it works, and reports each change once", async () => {
  const fake = new FakeSession();
  fake.next = new PlatformFailure("exchange token", refused);
  start(fake);
  await clock.advance(7_500);
  expect(fake.reads).toBe(4);
  await clock.advance(120_000);
  expect(fake.reads).toBe(6);
  fake.next = ["group"];
  await clock.advance(60_000);
  fake.next = [];
  await clock.advance(600_000);
  expect(fake.reads).toBe(8);
  expect(reports).toEqual([
    { is: "failed", problem: refused, hasWorked: false, mayBeStarting: false },
    { is: "checked", unreadableRoots: ["group"], missingCapabilities: [] },
    { is: "checked", unreadableRoots: [], missingCapabilities: [] },
  ]);
});

it("says for a minute that a platform which does not respond may be starting, and then that it does not work", async () => {
  const fake = new FakeSession();
  const away = { kind: "credential", cause: "unavailable", message: "connection refused" } as const;
  fake.next = new PlatformFailure("exchange token", away);
  start(fake);
  await clock.advance(59_000);
  const starting = { is: "failed", problem: away, hasWorked: false, mayBeStarting: true };
  expect(reports).toEqual([starting]);
  await clock.advance(60_000);
  expect(reports).toEqual([starting, { ...starting, mayBeStarting: false }]);
});

it("does not say of a session that has worked that its platform may be starting", async () => {
  const fake = new FakeSession();
  start(fake);
  await settled();
  const problem = { kind: "noResponse", message: "connection refused" } as const;
  fake.onOutage({ class: "platform", problem, message: "connection refused", since: 0 });
  expect(reports.at(-1)).toEqual({ is: "failed", problem, hasWorked: true, mayBeStarting: false });
});

it("checks a session that never worked as soon as an outage ends", async () => {
  const fake = new FakeSession();
  fake.next = new PlatformFailure("exchange token", refused);
  start(fake);
  await clock.advance(10_000);
  fake.onOutage({ class: "platform", problem: refused, message: "refused", since: 0 });
  fake.next = [];
  fake.onOutage(undefined);
  await clock.advance(0);
  expect(reports.at(-1)).toMatchObject({ is: "checked" });
  expect(fake.reads).toBe(5);
});

it("checks a session that lacks a capability again every minute, and reports it", async () => {
  const fake = new FakeSession();
  const missing = [{ capability: "identity.list", group: "group" }];
  fake.missingCapabilities = missing;
  start(fake);
  await clock.advance(90_000);
  expect(fake.reads).toBe(2);
  fake.missingCapabilities = [];
  await clock.advance(600_000);
  expect(fake.reads).toBe(3);
  expect(reports).toEqual([
    { is: "checked", unreadableRoots: [], missingCapabilities: missing },
    { is: "checked", unreadableRoots: [], missingCapabilities: [] },
  ]);
});

it("does not report a capability that no Tenant of the session needs", async () => {
  const fake = new FakeSession();
  fake.missingCapabilities = [{ capability: "CAP_OF_ANOTHER_KIND", group: "group" }];
  start(fake);
  await clock.advance(600_000);
  expect(fake.reads).toBe(1);
  expect(reports).toEqual([{ is: "checked", unreadableRoots: [], missingCapabilities: [] }]);
});

it("reports an identity that records another owner before anything is written, and that this has ended", async () => {
  const fake = new FakeSession();
  fake.ownerProblem = mismatch;
  start(fake);
  await clock.advance(150_000);
  fake.ownerProblem = undefined;
  await clock.advance(60_000);
  expect(reports).toEqual([
    { is: "failed", problem: mismatch, hasWorked: false, mayBeStarting: false },
    { is: "checked", unreadableRoots: [], missingCapabilities: [] },
  ]);
});

it("reports what others learn of the session: an outage, its end, and a group that cannot be read any longer", async () => {
  const fake = new FakeSession();
  start(fake);
  await settled();
  fake.onOutage({ class: "exchange", problem: refused, message: "refused", since: 0 });
  fake.onOutage(undefined);
  fake.unreadableRoots = ["group"];
  fake.onRead();
  expect(reports.slice(1)).toEqual([
    { is: "failed", problem: refused, hasWorked: true, mayBeStarting: false },
    { is: "checked", unreadableRoots: [], missingCapabilities: [] },
    { is: "checked", unreadableRoots: ["group"], missingCapabilities: [] },
  ]);
  expect(checks.reportOf(fake as unknown as PlatformSession)).toEqual({
    is: "checked",
    unreadableRoots: ["group"],
    missingCapabilities: [],
  });
});

it("ends with the session, and reports nothing about its end", async () => {
  const fake = new FakeSession();
  fake.rereadPermissions = async () => {
    end.abort(new Error("the end"));
    throw end.signal.reason;
  };
  const running = checks.run(fake as unknown as PlatformSession, end.signal);
  await running;
  expect(reports).toEqual([]);
});
