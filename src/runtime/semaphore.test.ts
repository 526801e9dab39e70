import { expect, it } from "vitest";
import { settled } from "#src/time/manual-clock.testing.ts";
import { Semaphore } from "./semaphore.ts";

it("runs no more tasks at once than the limit, in order, also after a failure", async () => {
  const semaphore = new Semaphore(2);
  const started: number[] = [];
  const tasks = [0, 1, 2, 3].map((number) => ({ number, ...Promise.withResolvers<number>() }));
  const results = tasks.map(({ number, promise }) =>
    semaphore.run(() => {
      started.push(number);
      return promise;
    }),
  );
  await settled();
  expect(started).toEqual([0, 1]);
  tasks[1]?.reject(new Error("failed"));
  await expect(results[1]).rejects.toThrow("failed");
  await settled();
  expect(started).toEqual([0, 1, 2]);
  for (const { number, resolve } of tasks) resolve(number);
  expect(await Promise.all([results[0], results[2], results[3]])).toEqual([0, 2, 3]);
});
