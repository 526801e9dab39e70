import { expect, it, onTestFinished } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeApi, ListOptions, WatchOptions } from "#src/kube/api.ts";
import { KubeError } from "#src/kube/errors.ts";
import type { KubeList, ResourceKind } from "#src/kube/object.ts";
import type { ReflectorReport } from "#src/kube/reflector.ts";
import { groupResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { startCaches } from "./caches.ts";

/** An API server with one Group in each of two namespaces. `refuse` makes the lists of a kind fail. */
function start(namespaces: ReadonlySet<string> | null, refuse: (plural: string) => number | undefined) {
  const clock = new ManualClock();
  const abort = new AbortController();
  onTestFinished(() => abort.abort(new Error("the test is over")));
  const lists: string[] = [];
  const kube = {
    list: ({ plural }: ResourceKind, { namespace }: ListOptions): Promise<KubeList> => {
      lists.push(`${plural} ${namespace ?? "everywhere"}`);
      const code = refuse(plural);
      if (code !== undefined) return Promise.reject(new KubeError({ call: `list ${plural}`, code, reason: "" }, "no"));
      const items = ["team", "others"].map((one) =>
        groupResource({ metadata: { namespace: one, resourceVersion: "3" } }),
      );
      return Promise.resolve({ metadata: { resourceVersion: "5" }, items: plural === "groups" ? items : [] });
    },
    // A watch without events.
    watch: (_resource: ResourceKind, { signal }: WatchOptions) => ({
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      }),
    }),
  } as unknown as KubeApi;
  const reports: [string, ReflectorReport["type"]][] = [];
  const telemetry = {
    reflector: (kind: string, { type }: ReflectorReport) => void reports.push([kind, type]),
  };
  let tried = false;
  const started = startCaches({ kinds, kube, namespaces, telemetry, clock, random: () => 0.5 }, abort.signal);
  void started.tried.then(() => (tried = true));
  return { ...started, clock, lists, reports, tried: () => tried };
}

it("lists and watches each kind once, in all namespaces, and keeps the objects of the given ones", async () => {
  const { caches, lists, tried } = start(new Set(["team"]), () => undefined);
  await settled();
  expect(lists).toEqual([
    "groups everywhere",
    "identities everywhere",
    "rolebindings everywhere",
    "identityproviders everywhere",
  ]);
  expect([...caches.get("Group").keys()]).toEqual(["team/payments"]);
  expect(tried()).toBe(true);
});

it("keeps the objects of all namespaces if none is given", async () => {
  const { caches } = start(null, () => undefined);
  await settled();
  expect([...caches.get("Group").keys()]).toEqual(["team/payments", "others/payments"]);
});

it.each([403, 404])("does not wait for a kind that cannot be read (%d), and reads it once it can be", async (code) => {
  let refused: number | undefined = code;
  const { caches, clock, tried } = start(null, (plural) => (plural === "identities" ? refused : undefined));
  await settled();
  expect(tried()).toBe(true);
  expect([...caches.entries()].flatMap(([kind, { synced }]) => (synced ? [kind] : []))).toEqual([
    "Group",
    "RoleBinding",
    "IdentityProvider",
  ]);
  refused = undefined;
  await clock.advance(30_000);
  expect(caches.get("Identity").synced).toBe(true);
});

it("waits for a kind while the API server is away: it says nothing about permissions", async () => {
  let refused: number | undefined = 503;
  const { clock, tried } = start(null, (plural) => (plural === "identities" ? refused : undefined));
  await settled();
  await clock.advance(30_000);
  expect(tried()).toBe(false);
  refused = undefined;
  await clock.advance(60_000);
  expect(tried()).toBe(true);
});
