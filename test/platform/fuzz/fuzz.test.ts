import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PlatformProcess } from "./platform-process.ts";
import { fuzz } from "./fuzz.ts";

// The whole of it, 50,000 requests: npm run fuzz:platform
it("the platform answers 3,000 random requests as its contract says", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-fuzz-"));
  const data = ["--data", join(folder, "data")];
  const platform = await PlatformProcess.start(data, folder);
  try {
    await PlatformProcess.loadExamples(data);
    const { url, adminToken, complaints } = platform;
    const run = { url, adminToken, complaints, requests: 3_000, seed: 1, timeLimit: 10_000, progress: () => {} };
    const { findings, answers } = await fuzz(run);
    expect([...findings.lines(run.seed)]).toEqual([]);
    // Deep code was reached, over REST and gRPC.
    expect(answers["rest"]?.get(200)).toBeGreaterThan(400);
    expect(answers["rpc"]?.get(0)).toBeGreaterThan(50);
    expect(platform.isRunning).toBe(true);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
});
