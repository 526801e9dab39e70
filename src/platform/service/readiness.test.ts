import { expect, it } from "vitest";
import { isReady, Readiness } from "./readiness.ts";

function platform() {
  const stopping = new AbortController();
  const database = { isUp: true, isWritable: true, asked: 0 };
  const clock = { now: 0 };
  const readiness = new Readiness({
    stopping: stopping.signal,
    isDatabaseUp: async () => {
      database.asked += 1;
      return database.isUp;
    },
    isWritable: () => database.isWritable,
    monotonic: () => clock.now,
  });
  return { stopping, database, clock, readiness };
}

it("follows the database within a second, and asks it once a second at most", async () => {
  const { database, clock, readiness } = platform();
  expect(await Promise.all([readiness.state(), readiness.state()])).toEqual(["ready", "ready"]);
  database.isUp = false;
  clock.now = 999;
  expect(await readiness.state()).toBe("ready");
  clock.now = 1_000;
  expect(await readiness.state()).toBe("database unavailable");
  database.isUp = true;
  clock.now = 2_000;
  expect(await readiness.state()).toBe("ready");
  expect(database.asked).toBe(3);
});

it("says that no write succeeds, and stays ready for reads and for what takes access away", async () => {
  const { database, clock, readiness } = platform();
  database.isWritable = false;
  const state = await readiness.state();
  expect([state, isReady(state)]).toEqual(["ready, but no write succeeds", true]);
  database.isWritable = true;
  clock.now = 1_000;
  expect(await readiness.state()).toBe("ready");
  database.isUp = false;
  clock.now = 2_000;
  expect(isReady(await readiness.state())).toBe(false);
});

it("is over at once when the platform stops, and asks the database no more", async () => {
  const { stopping, database, readiness } = platform();
  stopping.abort();
  expect(await readiness.state()).toBe("stopping");
  expect(database.asked).toBe(0);
});
