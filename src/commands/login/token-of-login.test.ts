import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { LoginCommands } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());
beforeEach(() => login.reset());

const uid = `${"c".repeat(40)}/${"d".repeat(16)}`;

it("prints the login's token, or JSON with its expiry", async () => {
  await login.logIn();
  const { accessToken, expiresAt } = login.tokens();
  expect(await login.run("token")).toEqual({ code: 0, stdout: `${accessToken}\n`, stderr: "" });
  expect(JSON.parse((await login.run("token", "-o", "json")).stdout)).toEqual({
    token: accessToken,
    expiry: expiresAt,
  });
});

it("exchanges the workload's own token as soon as a setting of it is given", async () => {
  await login.logIn();
  for (const args of [
    ["--identity", uid],
    ["--api-audience", "a"],
    ["--subject-token-file", "f"],
  ]) {
    const { code, stderr } = await login.run("token", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain("--auth-url (or MUSTER_AUTH_URL) is required: The address of the token service");
  }
  const complete = ["--identity", uid, "--auth-url", login.platform.url, "--api-audience", "a"];
  expect(await login.run("token", ...complete)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("/var/run/muster/source/token does not exist"),
  });
});

it("does not print the token of another login than the settings say", async () => {
  await login.logIn();
  expect(await login.run("token", "--auth-url", "https://auth.example")).toMatchObject({ code: 2, stdout: "" });
  const { code, stderr } = await login.run("token", "--platform-url", "https://other.example");
  expect(code).toBe(26);
  expect(stderr).toContain("muster login --platform-url https://other.example");
});

it("exits with 2 where there is neither a login nor a workload", async () => {
  expect(await login.run("token")).toMatchObject({ code: 2, stderr: expect.stringContaining("run muster login") });
});
