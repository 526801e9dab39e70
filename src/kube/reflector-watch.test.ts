import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { added, bookmark, list, ReflectorWorld, widget } from "./reflector-world.testing.ts";
import { end, errorStatus, reset, stream } from "./scripted-server.testing.ts";

const expired = { type: "ERROR", object: { kind: "Status", code: 410, reason: "Expired", message: "too old" } };

let world: ReflectorWorld;
beforeEach(async () => {
  world = await ReflectorWorld.listen();
  world.server.respondsWith(list(10, [widget("a", 1)]));
});
afterEach(() => world.stop());

describe("watch", () => {
  test("applies events to the store", async () => {
    world.server.respondsWith(stream([added("b", 11), { type: "DELETED", object: widget("a", 12) }]));
    world.start();
    await world.nextChange();
    await world.nextChange();
    await world.nextChange();
    expect(world.keys()).toEqual(["ns/b"]);
  });

  test("continues from the last event or bookmark after the API server ended the stream, without listing", async () => {
    world.server.respondsWith(stream([added("b", 11), bookmark(15)], end), stream([added("c", 16)], end), stream([]));
    world.start();
    await world.server.nextRequest();
    expect((await world.server.nextRequest()).searchParams.get("resourceVersion")).toBe("10");
    expect((await world.server.nextRequest()).searchParams.get("resourceVersion")).toBe("15");
    expect((await world.server.nextRequest()).searchParams.get("resourceVersion")).toBe("16");
    expect(world.keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("does not store bookmarks", async () => {
    world.server.respondsWith(stream([bookmark(15), added("b", 16)]));
    world.start();
    await world.nextChange();
    await world.nextChange();
    expect(world.keys()).toEqual(["ns/a", "ns/b"]);
  });

  test.each([
    ["as a status", errorStatus(410, "Expired")],
    ["in the stream", stream([expired])],
  ])("lists again after 410 %s", async (_, responder) => {
    world.server.respondsWith(responder, list(30, [widget("z", 25)]), stream([]));
    world.start();
    const { retryInMs } = await world.nextReport("failed");
    await world.clock.advance(retryInMs);
    await world.nextReport("listed");
    expect((await world.nextReport("watching")).resourceVersion).toBe("30");
    expect(world.keys()).toEqual(["ns/z"]);
  });

  test("lists again without a pause if 410 comes some time after the list", async () => {
    let later: () => void = () => undefined;
    world.server.respondsWith(
      stream([bookmark(15)], (response) => {
        later = () => response.end(`${JSON.stringify(expired)}\n`);
      }),
      list(30, []),
      stream([]),
    );
    world.start();
    await world.nextReport("watching");
    for (let request = 0; request < 2; request++) await world.server.nextRequest();
    await world.clock.advance(10_000);
    later();
    await world.nextReport("expired");
    expect((await world.nextReport("watching")).resourceVersion).toBe("30");
  });

  test("does not pay for an outage of the API server once that responds again", async () => {
    const restarting = Array.from({ length: 4 }, () => reset);
    const initializing = errorStatus(429, "TooManyRequests", { "retry-after": "1" });
    world.server.respondsWith(...restarting, initializing, errorStatus(410, "Expired"), list(30, []), stream([]));
    world.start();
    expect(await world.waits(6)).toEqual([1200, 2400, 4800, 9600, 1050, 2400]);
    expect((await world.nextReport("watching")).resourceVersion).toBe("30");
  });

  test("continues from the last event after a reset in the middle of a line", async () => {
    world.server.respondsWith(
      stream([added("b", 11)], (response) => {
        response.write('{"type":"ADDED","obj');
        setImmediate(reset, response);
      }),
      stream([added("c", 12)]),
    );
    world.start();
    const { step, retryInMs } = await world.nextReport("failed");
    expect([step, retryInMs]).toEqual(["watch", 1200]);
    const arrival = world.nextChange();
    await world.clock.advance(retryInMs);
    expect((await world.nextReport("watching")).resourceVersion).toBe("11");
    await arrival;
    expect(world.keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test.each([
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
  ])("waits as long as Retry-After asks after %d", async (code, reason) => {
    world.server.respondsWith(errorStatus(code, reason, { "retry-after": "7" }), stream([]));
    world.start();
    const { retryInMs } = await world.nextReport("failed");
    expect(retryInMs).toBeGreaterThanOrEqual(7000);
    expect(retryInMs).toBeLessThan(8000);
    await world.clock.advance(retryInMs);
    expect((await world.nextReport("watching")).resourceVersion).toBe("10");
  });

  test("is retried after 500, without listing", async () => {
    world.server.respondsWith(errorStatus(500, "InternalError"), stream([added("b", 11)]));
    world.start();
    await world.clock.advance((await world.nextReport("failed")).retryInMs);
    expect((await world.nextReport("watching")).resourceVersion).toBe("10");
  });

  test("reconnects after 90 s of silence, once something was sent", async () => {
    world.server.respondsWith(stream([added("b", 20)]), stream([]));
    world.start();
    await world.nextChange();
    await world.nextChange();
    await world.nextReport("watching");
    await world.clock.advance(89_000);
    expect(world.reports).toEqual([]);
    await world.clock.advance(1000);
    const { error, retryInMs } = await world.nextReport("failed");
    expect(String(error)).toContain("no event or bookmark for 90000 ms");
    await world.clock.advance(retryInMs);
    expect((await world.nextReport("watching")).resourceVersion).toBe("20");
  });

  test("waits for the end of a watch of which nothing was sent: a kind without objects has no bookmarks", async () => {
    world.server.respondsWith(stream([]), stream([]));
    world.start();
    await world.nextReport("watching");
    for (let request = 0; request < 2; request++) await world.server.nextRequest();
    await world.clock.advance(274_000);
    expect(world.reports).toEqual([]);
    await world.clock.advance(1000);
    const { error, retryInMs } = await world.nextReport("failed");
    expect(String(error)).toContain("the watch did not end after 265 s");
    await world.clock.advance(retryInMs);
    expect((await world.nextReport("watching")).resourceVersion).toBe("10");
  });

  test("leaves no timer behind when it ends", async () => {
    world.server.respondsWith(stream([added("b", 11)], end), stream([added("c", 12)], end), stream([]));
    world.start();
    for (let watch = 0; watch < 3; watch++) await world.nextReport("watching");
    expect(world.clock.pending).toBe(1);
  });

  test("does not reconnect while events arrive", async () => {
    let send: (event: unknown) => void = () => undefined;
    world.server.respondsWith(
      stream([], (response) => {
        send = (event) => response.write(`${JSON.stringify(event)}\n`);
      }),
    );
    world.start();
    await world.nextReport("watching");
    for (let request = 0; request < 2; request++) await world.server.nextRequest();
    for (let minute = 0; minute < 4; minute++) {
      await world.clock.advance(60_000);
      const arrival = world.nextChange();
      send(added(`m${minute}`, 20 + minute));
      await arrival;
    }
    expect(world.reports).toEqual([]);
  });

  test("resets the backoff with an event", async () => {
    world.server.respondsWith(
      errorStatus(500, "InternalError"),
      errorStatus(500, "InternalError"),
      stream([added("b", 11)], (response) => response.end("?\n")),
    );
    world.server.respondsWith(stream([]));
    world.start();
    expect(await world.waits(3)).toEqual([1200, 2400, 1200]);
  });

  test("backs off if the API server ends every watch at once", async () => {
    world.server.respondsWith(stream([], end), stream([], end), stream([]));
    world.start();
    const first = await world.nextReport("failed");
    expect(String(first.error)).toContain("ended the watch at once");
    await world.clock.advance(first.retryInMs);
    expect((await world.nextReport("failed")).retryInMs).toBeGreaterThan(first.retryInMs);
  });

  test("reconnects after a line that is not an event", async () => {
    world.server.respondsWith(
      stream([added("b", 11)], (response) => response.write("what?\n")),
      stream([added("c", 12)]),
    );
    world.start();
    const { retryInMs } = await world.nextReport("failed");
    const arrival = world.nextChange();
    await world.clock.advance(retryInMs);
    await arrival;
    expect(world.keys()).toEqual(["ns/a", "ns/b", "ns/c"]);
  });

  test("lists again if resource versions went backwards, after a restored backup", async () => {
    world.server.respondsWith(stream([bookmark(5)]), list(6, [widget("old", 3)]), stream([]));
    world.start();
    await world.clock.advance((await world.nextReport("failed")).retryInMs);
    await world.nextReport("listed");
    expect(world.keys()).toEqual(["ns/old"]);
  });
});
