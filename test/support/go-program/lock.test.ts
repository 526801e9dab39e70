import { spawnSync } from "node:child_process";
import { access, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withLock } from "./lock.ts";

describe("withLock", () => {
  let folder = "";
  const path = () => join(folder, "lock");
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-lock-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("runs one holder at a time, and reports the process that the others wait for", async () => {
    const steps: string[] = [];
    const opened = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const first = withLock(path(), {}, async () => {
      steps.push("first in");
      entered.resolve();
      await opened.promise;
      steps.push("first out");
    });
    await entered.promise;
    const waits = Promise.withResolvers<string>();
    const second = withLock(path(), { progress: waits.resolve }, async () => void steps.push("second in"));
    expect(await waits.promise).toContain(`waiting for the build by process ${process.pid}`);
    opened.resolve();
    await Promise.all([first, second]);
    expect(steps).toEqual(["first in", "first out", "second in"]);
  });

  it("releases the lock when the work fails", async () => {
    const failed = withLock(path(), {}, () => Promise.reject(new Error("no")));
    await expect(failed).rejects.toThrow("no");
    await expect(access(path())).rejects.toThrow("ENOENT");
  });

  it("takes over the lock of a process that has died", async () => {
    await writeFile(path(), String(spawnSync("true").pid));
    let done = false;
    await withLock(path(), {}, async () => void (done = true));
    expect(done).toBe(true);
  });

  it("takes over a stale lock", async () => {
    await writeFile(path(), String(process.pid));
    const long = new Date(Date.now() - 2 * 3_600_000);
    await utimes(path(), long, long);
    let done = false;
    await withLock(path(), {}, async () => void (done = true));
    expect(done).toBe(true);
  });
});
