import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { LoginCommands, past } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());
beforeEach(() => login.reset());

it("ends the login on the platform, and removes its tokens", async () => {
  await login.logIn();
  const file = readFileSync(login.path);
  expect(await login.run("logout")).toEqual({ code: 0, stdout: `Logged out of ${login.platform.url}.\n`, stderr: "" });
  expect(login.stored()).toEqual({ version: 1, logins: {} });
  expect(await login.run("logout")).toMatchObject({ code: 0, stdout: "You are not logged in.\n" });
  expect(await login.run("whoami")).toMatchObject({
    code: 26,
    stderr: expect.stringContaining("you are not logged in"),
  });
  writeFileSync(login.path, file);
  login.change({ expiresAt: past() });
  expect(await login.run("token")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
});

it("removes the tokens even if the platform is away, and says so", async () => {
  await login.logIn();
  login.disconnect();
  const { code, stderr } = await login.run("logout", "--all");
  expect(code).toBe(1);
  expect(stderr).toContain(
    `the tokens for ${login.platform.url} were removed from this machine, but the login could not be ended`,
  );
  expect(login.stored().logins).toEqual({});
});
