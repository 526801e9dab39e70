import { expect, it } from "vitest";
import { type Database, DatabaseUnavailableError } from "./database.ts";
import { DatabaseHealth } from "./database-health.ts";

/** A database of which only reads are used. */
function databaseThat(read: () => Promise<unknown>): { readonly database: Database; readonly reads: () => number } {
  let reads = 0;
  const database = {
    read: () => {
      reads += 1;
      return read();
    },
  } as unknown as Database;
  return { database, reads: () => reads };
}

it("is up while reads succeed, and down while they fail", async () => {
  let fails = false;
  const { database } = databaseThat(() =>
    fails ? Promise.reject(new DatabaseUnavailableError("away")) : Promise.resolve(),
  );
  const health = new DatabaseHealth(database);
  expect(await health.isUp()).toBe(true);
  fails = true;
  expect(await health.isUp()).toBe(false);
  fails = false;
  expect(await health.isUp()).toBe(true);
});

it("is down if a read does not end in time", async () => {
  const { database } = databaseThat(() => new Promise(() => undefined));
  expect(await new DatabaseHealth(database, 5).isUp()).toBe(false);
});

it("shares one read between concurrent callers", async () => {
  const { database, reads } = databaseThat(() => Promise.resolve());
  const health = new DatabaseHealth(database);
  expect(await Promise.all([health.isUp(), health.isUp()])).toEqual([true, true]);
  expect(reads()).toBe(1);
});

it("starts no further read while one does not end", async () => {
  const { promise: blocked, resolve: unblock } = Promise.withResolvers<void>();
  const { database, reads } = databaseThat(() => blocked);
  const health = new DatabaseHealth(database, 5);
  expect([await health.isUp(), await health.isUp(), await health.isUp()]).toEqual([false, false, false]);
  expect(reads()).toBe(1);
  unblock();
  await blocked;
  expect(await health.isUp()).toBe(true);
});
