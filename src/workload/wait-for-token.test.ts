import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { TokenFiles } from "./token-files.ts";
import { waitForToken } from "./wait-for-token.ts";

const identity = "a".repeat(40);

describe("waitForToken", () => {
  let folder = "";
  let files = new TokenFiles("");
  let clock = new ManualClock();
  const controller = new AbortController();
  const inMs = (ms: number) => new Date(clock.now() + ms).toISOString();
  const wait = (waitMs: number, signal = controller.signal) => waitForToken(files, { clock, waitMs, signal });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster-wait-"));
    files = new TokenFiles(join(folder, "token"));
    clock = new ManualClock();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("looks once without a wait", async () => {
    expect(await wait(0)).toMatchObject({ valid: false });
    files.write("secret", { identity, expiry: inMs(60_000) });
    expect(await wait(0)).toMatchObject({ valid: true });
  });

  it("ends with the token", async () => {
    const waiting = wait(10_000);
    await clock.advance(700);
    files.write("secret", { identity, expiry: inMs(60_000) });
    await clock.advance(50);
    expect(await waiting).toMatchObject({ valid: true });
  });

  it("ends with its time, and the reason that there is then", async () => {
    const waiting = wait(10_000);
    await clock.advance(5_000);
    files.writeStatus({ identity, failure: { since: inMs(0), message: "the platform is away" } });
    await clock.advance(4_999);
    await expect(Promise.race([waiting, Promise.resolve("waiting")])).resolves.toBe("waiting");
    await clock.advance(1);
    expect(await waiting).toMatchObject({ valid: false, message: expect.stringContaining("the platform is away") });
  });

  it("ends when the process is told to stop", async () => {
    const stop = new AbortController();
    const waiting = wait(10_000, stop.signal);
    stop.abort(new Error("stopped by SIGTERM"));
    await expect(waiting).rejects.toThrow("stopped by SIGTERM");
  });
});
