import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settled } from "#src/time/manual-clock.testing.ts";
import { added, bookmark, list, ReflectorWorld, widget } from "./reflector-world.testing.ts";
import { end, errorStatus, json, stream } from "./scripted-server.testing.ts";

let world: ReflectorWorld;
beforeEach(async () => {
  world = await ReflectorWorld.listen();
});
afterEach(() => world.stop());

describe("list", () => {
  test("reads pages, replaces the store's content as a whole, and is followed by a watch from its version", async () => {
    let keysBetweenPages: readonly string[] | undefined;
    world.server.respondsWith(
      list(10, [widget("a", 1)], "more"),
      (response, url, request) => {
        keysBetweenPages = world.keys();
        list(10, [widget("b", 2)])(response, url, request);
      },
      stream([]),
    );
    world.start();
    const first = await world.server.nextRequest();
    expect(first.pathname).toBe("/apis/iam.muster.dev/v1beta1/namespaces/ns/widgets");
    expect(first.searchParams.get("limit")).toBe("200");
    expect((await world.server.nextRequest()).searchParams.get("continue")).toBe("more");
    const watch = (await world.server.nextRequest()).searchParams;
    expect(keysBetweenPages).toEqual([]);
    expect(world.keys()).toEqual(["ns/a", "ns/b"]);
    expect(Object.fromEntries(watch)).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "10",
      timeoutSeconds: "265",
    });
    expect(await world.nextReport("listed")).toMatchObject({ objects: 2, pages: 2 });
  });

  test("restarts after its continue token expired", async () => {
    world.server.respondsWith(
      list(10, [widget("a", 1)], "more"),
      errorStatus(410, "Expired"),
      list(20, [widget("b", 2)]),
      stream([]),
    );
    world.start();
    await world.nextReport("expired");
    await world.nextReport("watching");
    expect(world.keys()).toEqual(["ns/b"]);
  });

  test("is retried until it succeeds, with exponential backoff and jitter", async () => {
    world.start();
    const waits: number[] = [];
    for (let time = 0; time < 8; time++) {
      const { step, retryInMs } = await world.nextReport("failed");
      expect(step).toBe("list");
      waits.push(retryInMs);
      if (time === 7) world.server.respondsWith(list(1, []), stream([]));
      await world.clock.advance(retryInMs);
    }
    expect(waits).toEqual([1200, 2400, 4800, 9600, 19_200, 30_000, 30_000, 30_000]);
    await world.nextReport("listed");
    expect(world.store.synced).toBe(true);
  });

  test("fails if the response is not a list, instead of emptying the store", async () => {
    world.server.respondsWith(json({ kind: "Status" }), (response) => response.end("<html>"), list(1, []), stream([]));
    world.start();
    for (let time = 0; time < 2; time++) await world.clock.advance((await world.nextReport("failed")).retryInMs);
    await world.nextReport("watching");
  });
});

test("lists again, with backoff, if the list cannot be stored", async () => {
  world.server.respondsWith(list(10, [widget("a", 1)]), list(10, [widget("a", 1)]), stream([]));
  let broken = true;
  world.store.onChange(() => {
    if (broken) throw new Error("broken listener");
  });
  world.start();
  const { step, error, retryInMs } = await world.nextReport("failed");
  expect([step, String(error)]).toEqual(["list", "Error: broken listener"]);
  broken = false;
  await world.clock.advance(retryInMs);
  await world.nextReport("listed");
});

test("drops the objects that are not accepted, and continues after their versions", async () => {
  world.server.respondsWith(
    list(10, [widget("a", 1), widget("b", 2)]),
    stream([added("c", 11), { type: "DELETED", object: widget("a", 12) }, bookmark(13)], end),
    stream([added("a", 14)]),
  );
  world.start({ accepts: ({ metadata }) => metadata.name === "a" });
  await world.nextReport("listed");
  expect(world.keys()).toEqual(["ns/a"]);
  await world.nextChange();
  expect(world.keys()).toEqual([]);
  await world.nextChange();
  expect(world.keys()).toEqual(["ns/a"]);
  await world.server.nextRequest();
  await world.server.nextRequest();
  expect((await world.server.nextRequest()).searchParams.get("resourceVersion")).toBe("13");
});

test.each([
  [403, "Forbidden"],
  [404, "NotFound"],
])("lists again after %d, because what can be read later may be something else", async (code, reason) => {
  world.server.respondsWith(
    list(10, [widget("a", 1)]),
    errorStatus(code, reason),
    list(20, [widget("b", 15)]),
    stream([]),
  );
  world.start();
  const failed = await world.nextReport("failed");
  expect(failed.step).toBe("watch");
  await world.clock.advance(failed.retryInMs);
  await world.nextReport("listed");
  expect(world.keys()).toEqual(["ns/b"]);
});

test("continues the stream if a listener of the store throws", async () => {
  world.server.respondsWith(list(10, []), stream([added("b", 11), added("c", 12)]));
  world.store.onChange((_, after) => {
    if (after?.metadata.name === "b") throw new Error("broken listener");
  });
  world.start();
  expect(String((await world.nextReport("skipped")).error)).toContain("broken listener");
  while (world.store.get("ns/c") === undefined) await settled();
});

test("ends when its signal aborts, also during a pause", async () => {
  world.start();
  await world.nextReport("failed");
  world.abort.abort(new Error("aborted by the test"));
  await world.running;
  expect(world.clock.pending).toBe(0);
});
