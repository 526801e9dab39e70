import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fuzz } from "./fuzz.ts";
import { PlatformUnderTest } from "./platform-under-test.ts";

// `npm run fuzz:platform` sends 50,000 requests.
it("the responses to 3,000 random requests follow the contract", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-fuzz-"));
  const platform = await PlatformUnderTest.start(["--data", join(folder, "data")], folder);
  try {
    const { url, adminToken } = platform;
    const errorLog = () => platform.errorLog;
    const seed = 1;
    const { findings, responses } = await fuzz({
      url,
      adminToken,
      errorLog,
      seed,
      requests: 3_000,
      timeLimit: 10_000,
      progress: () => {},
    });
    expect([...findings.lines(seed)]).toEqual([]);
    // Requests that succeed reach the code behind validation, over REST and over gRPC.
    expect(responses["rest"]?.get(200)).toBeGreaterThan(400);
    expect(responses["rpc"]?.get(0)).toBeGreaterThan(50);
    expect(platform.isRunning).toBe(true);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
});
