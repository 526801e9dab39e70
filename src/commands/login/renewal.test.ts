import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { runCommand } from "#src/command-line.testing.ts";
import { program } from "#test/support/harness/program.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LoginCommands, past } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());

describe("the renewal of a login", () => {
  beforeEach(async () => {
    login.reset();
    await login.logIn();
    login.platform.requests.length = 0;
  });

  it("happens once for many commands at the same time, also of other processes", async () => {
    login.change({ expiresAt: past() });
    login.serveApi();
    const args = ["api", "GET", "/iam/v2beta1/groups"];
    const processes = [1, 2].map(async () => {
      const child = spawn(process.execPath, [program, ...args], { env: login.env(), stdio: "ignore" });
      return ((await once(child, "exit")) as [number])[0];
    });
    const runs = await Promise.all([login.run(...args), login.run(...args), login.run("token"), login.run("whoami")]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await Promise.all(processes)).toEqual([0, 0]);
    expect(login.platform.count("POST /token")).toBe(1);
    login.change({ expiresAt: past() });
    expect((await login.run("token")).code).toBe(0);
  });

  it("has no effect on the login if the disk is full", async () => {
    login.change({ expiresAt: past() });
    const script = `ulimit -f 8; exec "$0" "$@"`;
    const child = spawn("sh", ["-c", `trap '' XFSZ; ${script}`, process.execPath, program, "token"], {
      env: login.env(),
    });
    const [stderr] = (await once(child.stderr, "data")) as [Buffer];
    await once(child, "exit");
    expect(stderr.toString()).toContain(`muster token: the credentials cannot be written to ${login.path}`);
    expect(login.platform.count("POST /token")).toBe(0);
    expect((await login.run("token")).code).toBe(0);
  });

  it("is not needed for a token that lasts, whatever the platform is", async () => {
    login.disconnect();
    expect(await login.run("token")).toEqual({ code: 0, stdout: `${login.tokens().accessToken}\n`, stderr: "" });
    expect(login.platform.requests).toEqual([]);
  });

  it("can fail while the token is still good, with a warning", async () => {
    login.change({ expiresAt: new Date(Date.now() + 40_000).toISOString() });
    login.disconnect();
    const { code, stderr, stdout } = await login.run("token");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${login.tokens().accessToken}\n` });
    expect(stderr).toContain("muster: warning: the login could not be renewed, and its token expires at");
    login.change({ expiresAt: past() });
    expect(await login.run("token")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("is not available"),
    });
  });

  it("happens early if the platform rejects the token, because a clock is wrong", async () => {
    const { accessToken } = login.tokens();
    login.serveApi((token) => token !== accessToken);
    // The clock was a year ahead during the login.
    login.change({ expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString() });
    expect(await login.run("api", "GET", "/iam/v2beta1/groups")).toMatchObject({ code: 0, stderr: "" });
    expect(login.platform.count("POST /token")).toBe(1);
    login.serveApi(() => false);
    const { code, stderr } = await login.run("api", "GET", "/iam/v2beta1/groups");
    expect(code).toBe(26);
    expect(stderr).toContain("UNAUTHENTICATED: the token was ended\n  Log in again: muster login --platform-url");
  });

  it("is stored before Ctrl-C ends the command, because its refresh token was used", async () => {
    const { refreshToken } = login.tokens();
    login.change({ expiresAt: past() });
    const stop = new AbortController();
    login.platform.intercept = ({ url }) => {
      if (url === "/token") stop.abort(new Error("stopped by SIGINT"));
      return false;
    };
    const result = await runCommand(["token"], { env: login.env(), signal: stop.signal });
    expect(result).toEqual({ code: 1, stdout: "", stderr: "muster token: stopped by SIGINT\n" });
    expect(login.tokens().refreshToken).not.toBe(refreshToken);
    login.change({ expiresAt: past() });
    expect((await login.run("token")).code).toBe(0);
  });

  it("ends the login if its refresh token was used, and does not ask again", async () => {
    const { refreshToken } = login.tokens();
    login.change({ expiresAt: past() });
    expect((await login.run("token")).code).toBe(0);
    login.change({ expiresAt: past(), refreshToken });
    const { code, stderr, stdout } = await login.run("token");
    expect({ code, stdout }).toEqual({ code: 26, stdout: "" });
    expect(stderr).toContain(`the login to ${login.platform.url} has ended (the platform refused: invalid_grant`);
    expect(stderr).toContain(`Log in: muster login --platform-url ${login.platform.url}`);
    expect(readFileSync(login.path, "utf8")).not.toMatch(/accessToken|refreshToken/);
    login.platform.requests.length = 0;
    expect(await login.run("whoami")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
    expect(login.platform.requests).toEqual([]);
    expect((await login.logIn(["login"])).code).toBe(0);
  });
});
