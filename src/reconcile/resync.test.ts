import { expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { defaultKinds } from "#src/api/tenant.ts";
import type { ManagedCollection } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { Semaphore } from "#src/runtime/semaphore.ts";
import { resyncOnce, runResyncs } from "./resync.ts";
import type { TenantContext } from "./tenancy/tenancy.ts";
import { otherRoot, root } from "./policy/observed-fixture.testing.ts";

function startResyncs(fails: (list: string) => boolean = () => false) {
  const lists: string[] = [];
  const failures: string[] = [];
  const clock = new ManualClock();
  const session = {
    groups: [root, otherRoot],
    listTogether: (collections: readonly ManagedCollection[], scopes: readonly { descendantsOf: string }[]) =>
      Promise.all(
        scopes.map(({ descendantsOf }) =>
          Promise.allSettled(
            collections.map(async ({ name: collection }) => {
              const list = `${collection} ${descendantsOf}`;
              lists.push(list);
              if (fails(list)) throw new Error("away");
            }),
          ),
        ),
      ),
  } as unknown as PlatformSession;
  const options = {
    kinds,
    tenancy: { contexts: [] },
    session,
    clock,
    onListed: () => undefined,
    onFailure: ({ collection }: Kind, at: string) => failures.push(`${collection.name} ${at}`),
  };
  return { lists, failures, clock, options };
}

/** The kinds that need no permission of a Tenant. */
const first = kinds.filter(({ name }) => defaultKinds.some((one) => one === name));
const everything = [root, otherRoot].flatMap((one) => first.map(({ collection }) => `${collection.name} ${one}`));

it("lists each collection below each root once", async () => {
  const { lists, options } = startResyncs();
  expect(await resyncOnce(options)).toBe(true);
  expect(lists).toEqual(everything);
});

it("lists a kind that came later only if a Tenant of the session permits it", async () => {
  const { lists, options } = startResyncs();
  const [group] = kinds;
  const later = { ...group, name: "Repo", collection: { ...group.collection, name: "repos" } } as unknown as Kind;
  const context = (name: string, session: PlatformSession) =>
    ({ session, boundary: { kinds: [name] } }) as unknown as TenantContext;
  const another = {} as PlatformSession;
  await resyncOnce({ ...options, kinds: [later], tenancy: { contexts: [context("Repo", another)] } });
  expect(lists).toEqual([]);
  await resyncOnce({ ...options, kinds: [later], tenancy: { contexts: [context("Repo", options.session)] } });
  expect(lists).toEqual([`repos ${root}`, `repos ${otherRoot}`]);
});

it("reports a list that fails and continues with the others", async () => {
  const { lists, failures, options } = startResyncs((list) => list === `groups ${root}`);
  expect(await resyncOnce(options)).toBe(false);
  expect(lists).toEqual(everything);
  expect(failures).toEqual([`groups ${root}`]);
});

it.each([
  [0, 540_000],
  [0.999_999_9, 660_000],
])("waits for the interval, within 10 %% (%d)", async (random, ms) => {
  const { lists, clock, options } = startResyncs();
  const end = new AbortController();
  const schedule = { intervalMs: 600_000, limit: new Semaphore(1), clock, random: () => random };
  const running = runResyncs(schedule, () => resyncOnce(options), end.signal);
  await clock.advance(ms - 1_000);
  expect(lists).toHaveLength(0);
  await clock.advance(1_000);
  expect(lists).toEqual(everything);
  end.abort(new Error("the end"));
  await running;
});
