import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { FormBrowser, LoginPlatform, testIdentity } from "#src/login/login-platform.testing.ts";

const group = "a".repeat(40);
let home = "";
let platform: LoginPlatform;
beforeAll(async () => {
  platform = await LoginPlatform.start();
});
afterAll(() => platform.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "muster-login-"));
  platform.requests.length = 0;
});
afterEach(() => {
  platform.intercept = undefined;
  rmSync(home, { recursive: true });
});

const stored = () => readFileSync(join(home, ".config/muster/credentials.json"), "utf8");
const env = () => ({ HOME: home, BROWSER: "/bin/true" });
const logInArgs = () => ["login", "--platform-url", platform.url, "--group", group];

/** Logs in, with a browser that opens the address on the terminal. */
async function logIn(args = logInArgs(), visit = (address: string) => void new FormBrowser().open(address)) {
  return runCommand(args, {
    env: env(),
    onStderr: (text) => {
      const [address] = /http:\S+\/authorize\?\S+/.exec(text) ?? [];
      if (address !== undefined) visit(address);
    },
  });
}

describe("muster login", () => {
  it("logs in with the browser, and stores what later commands use", async () => {
    const run: CommandRun = await logIn();
    expect(run).toMatchObject({ code: 0, stdout: `Logged in to ${platform.url} as ${testIdentity}.\n` });
    expect(stored()).toContain("refreshToken");
  });
});
