import { expect, it } from "vitest";
import type { Resource } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { PerKind } from "#src/kinds/per-kind.ts";
import type { ResourceStore } from "./observe/cached-resource.ts";
import { bindingResource, notReady, ready } from "./policy/observed-fixture.testing.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { runExpiryChecks } from "./expiry-checks.ts";

const start = Date.UTC(2026, 0, 1);
const inAnHour = new Date(start + 3_600_000).toISOString();

function startChecks(...objects: readonly Resource[]) {
  const clock = new ManualClock(start);
  const stores = new PerKind(kinds, ({ name }) => {
    const values = objects.filter(({ kind }) => kind === name).map((resource) => ({ resource, ...resource }));
    return { values: () => values.values() } as unknown as ResourceStore;
  });
  const enqueued: string[] = [];
  const end = new AbortController();
  const enqueue = (kind: string, key: string) => void enqueued.push(`${kind} ${key}`);
  const ended = runExpiryChecks({ kinds, stores, clock, enqueue }, end.signal);
  return { clock, enqueued, end, ended };
}

const binding = (name: string, parts: Parameters<typeof bindingResource>[0]) =>
  bindingResource({ ...parts, metadata: { name } });

it("enqueues what has expired within a minute after the wall clock was set forward, and nothing else", async () => {
  const deleted = binding("protected", { spec: { expiresAt: inAnHour }, status: notReady("Protected") });
  const { clock, enqueued, end, ended } = startChecks(
    binding("expiring", { spec: { expiresAt: inAnHour }, status: ready }),
    binding("expired", { spec: { expiresAt: inAnHour }, status: notReady("Expired") }),
    { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: inAnHour } },
    binding("lasting", { status: ready }),
    binding("later", { spec: { expiresAt: new Date(start + 72 * 3_600_000).toISOString() }, status: ready }),
  );
  await clock.advance(600_000);
  expect(enqueued).toEqual([]);
  clock.jumpWall(3_600_000);
  await clock.advance(60_000);
  expect(enqueued).toEqual(["RoleBinding team/expiring", "RoleBinding team/protected"]);
  end.abort(new Error("the end"));
  await ended;
});
