import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { RevalidatedCache, type RevalidationTimes } from "./revalidated-cache.ts";

const times: RevalidationTimes = { refresh: 50, fresh: 100, maximum: 600, wait: 20, failure: 5, unavailable: 30 };

class Unavailable extends Error {}
class Refused extends Unavailable {}

/** A cache with a source that a test controls. */
function setUp(entries = 10) {
  const time = { now: 1_000 };
  const source = { value: "1" as string | Error | Promise<string>, requests: 0 };
  const cache = new RevalidatedCache<string>({
    times,
    bounds: { entries, bytes: 1_000 },
    clock: () => time.now,
    bytesOf: () => 1,
    isUnavailable: (error) => error instanceof Unavailable,
    isRefused: (error) => error instanceof Refused,
  });
  const request = async () => {
    source.requests++;
    if (source.value instanceof Error) throw source.value;
    return source.value;
  };
  const get = (key = "a") => cache.get(key, request);
  return { cache, time, source, request, get };
}

describe("RevalidatedCache", () => {
  it("requests a value once at a time, and again in the background before it is not fresh any more", async () => {
    const { source, time, get } = setUp();
    expect(await Promise.all([get(), get()])).toEqual(["1", "1"]);
    source.value = "2";
    time.now += 49;
    expect(await get()).toBe("1");
    expect(source.requests).toBe(1);
    time.now += 1;
    expect(await get()).toBe("1");
    await nextTurn();
    expect(await get()).toBe("2");
    expect(source.requests).toBe(2);
  });

  it("waits for the source of a value that is not fresh, so that what it withdrew is not used", async () => {
    const { source, time, get } = setUp();
    await get();
    source.value = "2";
    time.now += 100;
    expect(await get()).toBe("2");
  });

  it("uses a value that is not fresh while its source is unavailable, up to the maximum", async () => {
    const { source, time, get } = setUp();
    await get();
    source.value = new Unavailable("down");
    for (const age of [100, 101, 300, 599]) {
      time.now = 1_000 + age;
      expect(await get()).toBe("1");
    }
    // One failure stands for a short time.
    expect(source.requests).toBe(4);
    time.now = 1_600;
    await expect(get()).rejects.toThrowError("down");
    source.value = "2";
    time.now += 6;
    expect(await get()).toBe("2");
  });

  it("uses a fresh value while its source responds with something else, and an older one not any more", async () => {
    const { source, time, get } = setUp();
    await get();
    source.value = new Error("no keys");
    for (const age of [60, 70, 99]) {
      time.now = 1_000 + age;
      expect(await get()).toBe("1");
      await nextTurn();
    }
    expect(source.requests).toBe(4);
    time.now = 1_100;
    await expect(get()).rejects.toThrowError("no keys");
    time.now += 6;
    source.value = new Unavailable("down");
    await expect(get()).rejects.toThrowError("down");
    time.now += 6;
    source.value = "2";
    expect(await get()).toBe("2");
  });

  it("uses a fresh value after a renewal got something else", async () => {
    const { cache, source, time, request, get } = setUp();
    await get();
    source.value = new Error("no keys");
    time.now += 20;
    await expect(cache.renewed("a", request, 10)).rejects.toThrowError("no keys");
    expect(await get()).toBe("1");
  });

  describe("if the share of a caller is used up", () => {
    const refused = async (): Promise<string> => {
      await nextTurn();
      throw new Refused("share");
    };

    it("remembers no failure", async () => {
      const { cache, get } = setUp();
      await expect(cache.get("a", refused)).rejects.toThrowError("share");
      expect(cache.requestedAt("a")).toBeUndefined();
      expect(await get()).toBe("1");
    });

    it("requests the value for another caller who waited for the same request", async () => {
      const { cache, request, source } = setUp();
      const first = cache.get("a", refused);
      const others = [cache.get("a", request), cache.get("a", request), cache.renewed("a", request, 10)];
      await expect(first).rejects.toThrowError("share");
      expect(await Promise.all(others)).toEqual(["1", "1", "1"]);
      expect(source.requests).toBe(1);
    });

    it("ends although an earlier request was refused, too, while a later one ran", async () => {
      const { cache, time, get } = setUp();
      await get();
      const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
      time.now += 20;
      const both = [cache.renewed("a", () => first.promise, 10)];
      time.now += 20;
      both.push(cache.renewed("a", () => second.promise, 10));
      for (const { reject } of [first, second]) {
        reject(new Refused("share"));
        await nextTurn();
      }
      for (const one of both) await expect(one).rejects.toThrowError("share");
      time.now += 5;
      expect(await get()).toBe("1");
      expect(await cache.renewed("a", async () => "2", 100)).toBe("2");
    });

    it("keeps the earlier request as the latest one", async () => {
      const { cache, time, source, request, get } = setUp();
      await get();
      time.now += 20;
      await expect(cache.renewed("a", refused, 10)).rejects.toThrowError("share");
      expect(cache.requestedAt("a")).toBe(1_000);
      source.value = "2";
      expect(await cache.renewed("a", request, 10)).toBe("2");
    });

    it("uses the value, and the others wait for the source if it is not fresh", async () => {
      const { cache, time, source, get } = setUp();
      await get();
      time.now += 100;
      expect(await cache.get("a", refused)).toBe("1");
      source.value = "2";
      expect(await get()).toBe("2");
    });
  });

  it("does not wait for long for a source that is silent, and not at all after it has failed", async () => {
    const { source, time, get } = setUp();
    await get();
    const silent = Promise.withResolvers<string>();
    source.value = silent.promise;
    time.now += 100;
    const started = performance.now();
    expect(await get()).toBe("1");
    expect(performance.now() - started).toBeGreaterThan(15);
    silent.reject(new Unavailable("no response"));
    await nextTurn();
    time.now += 6;
    source.value = new Promise(() => {});
    let isServed = false;
    void get().then(() => (isServed = true));
    await nextTurn();
    expect(isServed).toBe(true);
    expect(source.requests).toBe(3);
  });

  it("uses a value if nothing can be requested now, and remembers no failure", async () => {
    const { cache, time, get } = setUp();
    const busy = (): Promise<string> => {
      throw new Unavailable("busy");
    };
    await expect(cache.get("a", busy)).rejects.toThrowError("busy");
    expect(await get()).toBe("1");
    time.now += 200;
    expect(await cache.get("a", busy)).toBe("1");
  });

  it("keeps values while a great number of other requests fail", async () => {
    const { source, get } = setUp();
    await get();
    source.value = new Unavailable("down");
    for (let n = 0; n < 2_000; n++) await get(`other-${n}`).catch(() => {});
    expect(await get()).toBe("1");
  });

  it("renews a value at most once per interval", async () => {
    const { cache, source, time, request, get } = setUp();
    await get();
    source.value = "2";
    time.now += 10;
    expect(await cache.renewed("a", request, 10)).toBe("1");
    time.now += 1;
    expect(await cache.renewed("a", request, 10)).toBe("2");
    expect(await get()).toBe("2");
    expect(source.requests).toBe(2);
  });
});
