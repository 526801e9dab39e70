import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "#src/command-line.testing.ts";
import { FormBrowser, testIdentity } from "#src/login/login-platform.testing.ts";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { group, LoginCommands, openAddress, past } from "./login-commands.testing.ts";

let login: LoginCommands;
beforeAll(async () => {
  login = await LoginCommands.start();
});
afterAll(() => login.stop());
beforeEach(() => login.reset());

it("logs in with the browser, and stores what only this user can read", async () => {
  let address: URL | undefined;
  const { code, stderr, stdout } = await login.logIn(
    [...login.arguments, "--audience", "https://registry.example"],
    (url) => {
      address = url;
      return openAddress(url);
    },
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Logged in to ${login.platform.url} as ${testIdentity}.\n` });
  expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({
    client_id: "muster-cli",
    response_type: "code",
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
    state: expect.stringMatching(/^[\w-]{43}$/),
    group,
  });
  expect(address?.searchParams.getAll("audience")).toEqual([login.platform.url, "https://registry.example"]);
  expect(login.stored()).toMatchObject({
    current: login.platform.url,
    logins: { [login.platform.url]: { authUrl: login.platform.url } },
  });
  expect(statSync(login.path).mode & 0o777).toBe(0o600);
  for (const secret of [login.tokens().accessToken, login.tokens().refreshToken])
    expect(stdout + stderr).not.toContain(secret);
});

it("starts the browser with a link that contains no secret and works once", async () => {
  const browser = join(login.home, "browser");
  writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > "${login.home}/arguments"\n`, { mode: 0o755 });
  const invite = "the-code-of-an-invite";
  const links: string[] = [];
  const result = await login.logIn(
    [...login.arguments, "--invite", "-"],
    async () => {
      while (!existsSync(join(login.home, "arguments")) || links.length === 0) {
        if (existsSync(join(login.home, "arguments")))
          links.push(...readFileSync(join(login.home, "arguments"), "utf8").split("\n").filter(Boolean));
        await new Promise((done) => setTimeout(done, 5));
      }
      await new FormBrowser().open(links[0] ?? "");
    },
    { env: login.env({ BROWSER: browser }), input: `${invite}\n` },
  );
  expect(result.code).toBe(0);
  expect(links).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{22}$/)]);
  expect(login.platform.requests.find((request) => request.startsWith("GET /authorize?"))).toContain(
    `invite=${invite}`,
  );
});

it("asks for a code of another device where no browser can be opened, and says so", async () => {
  const stop = new AbortController();
  const result = await runCommand(login.arguments, {
    env: { HOME: login.home, SSH_CONNECTION: "x" },
    signal: stop.signal,
    onStderr: (text) => {
      if (text.includes("Waiting for at most")) stop.abort(new Error("stopped by SIGINT"));
    },
  });
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toContain("No browser can be opened here: this is an SSH session");
  expect(result.stderr).toMatch(
    /open this address in a browser on any machine:\n {2}http:\S+\/device\n.*\n {2}[A-Z]{4}-[A-Z]{4}\n/,
  );
  expect(result.stderr).toContain("muster login: stopped by SIGINT");
  expect(existsSync(login.path)).toBe(false);
});

it("logs in although strangers respond first", async () => {
  const result = await login.logIn(login.arguments, async (address) => {
    const callback = address.searchParams.get("redirect_uri") ?? "";
    const strangers = [
      "",
      "?code=theirs",
      "?code=theirs&state=guessed",
      "?error=access_denied",
      `?code=theirs&state=${"x".repeat(43)}&iss=${login.platform.url}`,
    ];
    const statuses = await Promise.all(strangers.map(async (query) => (await fetch(callback + query)).status));
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    await openAddress(address);
  });
  expect(result).toMatchObject({ code: 0 });
});

it("does not accept a code that was issued for the challenge of another login", async () => {
  const result = await login.logIn(login.arguments, async (address) => {
    // A page that has seen the address replaces the challenge by that of its own verifier.
    address.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    await openAddress(address);
  });
  expect(result.code).toBe(1);
  expect(result.stderr).toContain("muster login: the platform refused: invalid_grant");
  expect(existsSync(login.path)).toBe(false);
});

it.each([
  [
    "an error of the platform",
    { error: "access_denied", error_description: "no\u001b[31m role" },
    "the platform refused: no[31m role",
  ],
  ["a response of another issuer", { code: "c", iss: "https://evil.example" }, "is not from http://127.0.0.1"],
])("fails after %s", async (_, parameters, message) => {
  const result = await login.logIn(login.arguments, async ({ searchParams }) => {
    const query = { state: searchParams.get("state") ?? "", iss: login.platform.url, ...(parameters as object) };
    await fetch(`${searchParams.get("redirect_uri")}?${new URLSearchParams(query).toString()}`);
  });
  expect(result).toMatchObject({ code: 1, stdout: "" });
  expect(result.stderr).toContain(message);
});

it("stops listening after Ctrl-C", async () => {
  const stop = new AbortController();
  let callback = "";
  const result = await login.logIn(
    login.arguments,
    async ({ searchParams }) => {
      callback = searchParams.get("redirect_uri") ?? "";
      stop.abort(new Error("stopped by SIGINT"));
    },
    { signal: stop.signal },
  );
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("muster login: stopped by SIGINT\n") });
  await expect(fetch(callback)).rejects.toThrow("fetch failed");
});

it("does not send a person anywhere if the credentials cannot be stored", async () => {
  await login.logIn();
  chmodSync(login.path, 0o644);
  const result = await login.run(...login.arguments);
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`run: chmod 600 ${login.path}`) });
  expect(login.platform.count("GET /authorize")).toBeLessThan(4);
});

it("logs in again in the same way, and ends the earlier login", async () => {
  await login.logIn([...login.arguments, "--audience", "https://registry.example"]);
  const earlier = login.tokens();
  const result = await login.logIn(["login"]);
  expect(result).toMatchObject({ code: 0 });
  expect(login.stored().logins[login.platform.url]).toMatchObject({
    audiences: [login.platform.url, "https://registry.example"],
  });
  expect(login.tokens().refreshToken).not.toBe(earlier.refreshToken);
  login.change({ refreshToken: earlier.refreshToken, expiresAt: past() });
  expect(await login.run("token")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
});

it.each([
  ["no platform", ["--group", group], "--platform-url (or MUSTER_PLATFORM_URL) is required for the first login"],
  ["no group", ["--platform-url", "https://p.example"], "--group or --identity-provider is required"],
  [
    "a group and a provider",
    ["--platform-url", "https://p.example", "--group", group, "--identity-provider", group],
    "exclude each other",
  ],
  [
    "plain HTTP",
    ["--platform-url", "http://p.example", "--group", group],
    "--platform-url: http://p.example is not an https URL",
  ],
  [
    "plain HTTP to a name that begins like this machine",
    ["--platform-url", "http://127.0.0.1.evil.example", "--group", group],
    "is not an https URL",
  ],
  ["a flag that is near another one", ["--headles"], 'did you mean "--headless"?'],
])("exits with 2 for %s", async (_, args, message) => {
  const result = await login.run("login", ...args);
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

it("does not store a token that is for another platform", async () => {
  const other = `${login.platform.url}/other`;
  const result = await login.logIn([
    "login",
    "--platform-url",
    other,
    "--auth-url",
    login.platform.url,
    "--group",
    group,
  ]);
  expect(result).toMatchObject({ code: 1 });
  expect(result.stderr).toContain(`the token is for ${login.platform.url} and not for ${other}`);
  expect(existsSync(login.path)).toBe(false);
});
