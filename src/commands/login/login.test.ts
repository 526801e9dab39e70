import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { FormBrowser, LoginPlatform, testIdentity } from "#src/login/login-platform.testing.ts";
import { program } from "#test/support/harness/program.ts";

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

interface StoredTokens {
  accessToken: string;
  expiresAt: string;
  refreshToken: string;
}
interface StoredFile {
  current?: string;
  logins: Record<string, { authUrl: string; audiences: string[]; tokens?: StoredTokens }>;
}
const path = () => join(home, ".config/muster/credentials.json");
const stored = () => JSON.parse(readFileSync(path(), "utf8")) as StoredFile;
const tokens = () => stored().logins[platform.url]?.tokens as StoredTokens;

/** Changes the stored tokens of the platform, as time does. */
function change(changes: Partial<StoredTokens>): void {
  const file = stored();
  Object.assign(file.logins[platform.url]?.tokens ?? {}, changes);
  writeFileSync(path(), JSON.stringify(file));
}
const past = () => new Date(Date.now() - 1_000).toISOString();

const env = (changes: Readonly<Record<string, string>> = {}) => ({ HOME: home, BROWSER: "/bin/true", ...changes });
const run = (...args: readonly string[]): Promise<CommandRun> => runCommand(args, { env: env() });
const loginArguments = () => ["login", "--platform-url", platform.url, "--group", group];
const openAddress = (address: URL) => new FormBrowser().open(address.href);

/** Logs in, with a person who opens the address that the terminal shows. */
async function logIn(
  args: readonly string[] = loginArguments(),
  visit: (address: URL) => Promise<unknown> = openAddress,
  options: { readonly env?: Record<string, string>; readonly signal?: AbortSignal; readonly input?: string } = {},
): Promise<CommandRun> {
  let visited: Promise<unknown> = Promise.resolve();
  const result = await runCommand(args, {
    env: env(),
    ...options,
    onStderr: (text) => {
      const [address] = /http:\S+\/authorize\?\S+/.exec(text) ?? [];
      if (address !== undefined) visited = visit(new URL(address));
    },
  });
  await visited;
  return result;
}

const respond = (status: number, body: unknown) => (response: ServerResponse) =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

/** The platform is away. */
function disconnect(): void {
  platform.intercept = (_, response) => {
    response.destroy();
    return true;
  };
}

/** The platform's API: some groups, and an identity with two roles. It accepts the tokens that were not ended. */
function serveApi(accepts: (token: string) => boolean = () => true): void {
  platform.intercept = (request: IncomingMessage, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", platform.url);
    if (!pathname.startsWith("/iam/")) return false;
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (!accepts(token)) respond(401, { code: 16, message: "the token was ended", details: [] })(response);
    else if (pathname === `/iam/v2beta1/identities/${testIdentity}`)
      respond(200, { uid: testIdentity, name: "alice" })(response);
    else if (pathname === "/iam/v2beta1/roleBindings")
      respond(200, {
        roleBindings: ["owner", "viewer"].map((name) => ({
          uid: "u",
          group: { uid: group, name: "shop" },
          role: { uid: "r", name },
        })),
      })(response);
    else respond(200, { groups: [], query: searchParams.toString() })(response);
    return true;
  };
}

describe("muster login", () => {
  it("logs in with the browser, and stores what only this user can read", async () => {
    let address: URL | undefined;
    const { code, stderr, stdout } = await logIn(
      [...loginArguments(), "--audience", "https://registry.example"],
      (url) => {
        address = url;
        return openAddress(url);
      },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Logged in to ${platform.url} as ${testIdentity}.\n` });
    expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({
      client_id: "muster-cli",
      response_type: "code",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      group,
    });
    expect(address?.searchParams.getAll("audience")).toEqual([platform.url, "https://registry.example"]);
    expect(stored()).toMatchObject({ current: platform.url, logins: { [platform.url]: { authUrl: platform.url } } });
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    for (const secret of [tokens().accessToken, tokens().refreshToken]) expect(stdout + stderr).not.toContain(secret);
  });

  it("starts the browser with a link that contains no secret and works once", async () => {
    const browser = join(home, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > "${home}/arguments"\n`, { mode: 0o755 });
    const invite = "the-code-of-an-invite";
    const links: string[] = [];
    const result = await logIn(
      [...loginArguments(), "--invite", "-"],
      async () => {
        while (!existsSync(join(home, "arguments")) || links.length === 0) {
          if (existsSync(join(home, "arguments")))
            links.push(...readFileSync(join(home, "arguments"), "utf8").split("\n").filter(Boolean));
          await new Promise((done) => setTimeout(done, 5));
        }
        await new FormBrowser().open(links[0] ?? "");
      },
      { env: env({ BROWSER: browser }), input: `${invite}\n` },
    );
    expect(result.code).toBe(0);
    expect(links).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{22}$/)]);
    expect(platform.requests.find((request) => request.startsWith("GET /authorize?"))).toContain(`invite=${invite}`);
  });

  it("asks for a code of another device where no browser can be opened, and says so", async () => {
    const stop = new AbortController();
    const result = await runCommand(loginArguments(), {
      env: { HOME: home, SSH_CONNECTION: "x" },
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
    expect(existsSync(path())).toBe(false);
  });

  it("logs in although strangers respond first", async () => {
    const result = await logIn(loginArguments(), async (address) => {
      const callback = address.searchParams.get("redirect_uri") ?? "";
      const strangers = [
        "",
        "?code=theirs",
        "?code=theirs&state=guessed",
        "?error=access_denied",
        `?code=theirs&state=${"x".repeat(43)}&iss=${platform.url}`,
      ];
      const statuses = await Promise.all(strangers.map(async (query) => (await fetch(callback + query)).status));
      expect(statuses).toEqual([400, 400, 400, 400, 400]);
      await openAddress(address);
    });
    expect(result).toMatchObject({ code: 0 });
  });

  it("does not accept a code that was issued for the challenge of another login", async () => {
    const result = await logIn(loginArguments(), async (address) => {
      // A page that has seen the address replaces the challenge by that of its own verifier.
      address.searchParams.set("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
      await openAddress(address);
    });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("muster login: the platform refused: invalid_grant");
    expect(existsSync(path())).toBe(false);
  });

  it.each([
    [
      "an error of the platform",
      { error: "access_denied", error_description: "no\u001b[31m role" },
      "the platform refused: no[31m role",
    ],
    ["a response of another issuer", { code: "c", iss: "https://evil.example" }, "is not from http://127.0.0.1"],
  ])("fails after %s", async (_, parameters, message) => {
    const result = await logIn(loginArguments(), async ({ searchParams }) => {
      const query = { state: searchParams.get("state") ?? "", iss: platform.url, ...(parameters as object) };
      await fetch(`${searchParams.get("redirect_uri")}?${new URLSearchParams(query).toString()}`);
    });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toContain(message);
  });

  it("stops listening after Ctrl-C", async () => {
    const stop = new AbortController();
    let callback = "";
    const result = await logIn(
      loginArguments(),
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
    await logIn();
    chmodSync(path(), 0o644);
    const result = await run(...loginArguments());
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(`run: chmod 600 ${path()}`) });
    expect(platform.count("GET /authorize")).toBeLessThan(4);
  });

  it("logs in again in the same way, and ends the earlier login", async () => {
    await logIn([...loginArguments(), "--audience", "https://registry.example"]);
    const earlier = tokens();
    const result = await logIn(["login"]);
    expect(result).toMatchObject({ code: 0 });
    expect(stored().logins[platform.url]).toMatchObject({ audiences: [platform.url, "https://registry.example"] });
    expect(tokens().refreshToken).not.toBe(earlier.refreshToken);
    change({ refreshToken: earlier.refreshToken, expiresAt: past() });
    expect(await run("token")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
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
    const result = await run("login", ...args);
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it("does not store a token that is for another platform", async () => {
    const other = `${platform.url}/other`;
    const result = await logIn(["login", "--platform-url", other, "--auth-url", platform.url, "--group", group]);
    expect(result).toMatchObject({ code: 1 });
    expect(result.stderr).toContain(`the token is for ${platform.url} and not for ${other}`);
    expect(existsSync(path())).toBe(false);
  });
});

describe("a platform that is not one", () => {
  const discovery = () => ({
    issuer: platform.url,
    authorization_endpoint: `${platform.url}/authorize`,
    token_endpoint: `${platform.url}/token`,
    device_authorization_endpoint: `${platform.url}/device_authorization`,
    revocation_endpoint: `${platform.url}/revoke`,
  });

  it.each([
    ["a page", () => "<html>", "does not return a discovery document (HTTP 200)"],
    ["a list", () => "[]", "does not return a discovery document"],
    ["a huge document", () => " ".repeat(300_000), "the response is larger than 262144 bytes"],
    [
      "another issuer",
      () => JSON.stringify({ ...discovery(), issuer: "https://evil.example" }),
      'calls itself "https://evil.example"',
    ],
    [
      "no login",
      () => JSON.stringify({ ...discovery(), authorization_endpoint: undefined }),
      "has no authorization_endpoint. The platform may be older",
    ],
    [
      "an endpoint elsewhere",
      () => JSON.stringify({ ...discovery(), token_endpoint: "https://evil.example/token" }),
      "the token_endpoint in the discovery document",
    ],
    [
      "a page to run",
      () => JSON.stringify({ ...discovery(), authorization_endpoint: "javascript:alert(1)" }),
      "the authorization_endpoint in the discovery document",
    ],
    [
      "an endpoint with a password",
      () => JSON.stringify({ ...discovery(), token_endpoint: discovery().token_endpoint.replace("//", "//a:b@") }),
      "the token_endpoint in",
    ],
  ])("is reported for a discovery document with %s", async (_, document, message) => {
    platform.intercept = (_request, response) => {
      response.end(document());
      return true;
    };
    const result = await run(...loginArguments());
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });

  it.each([
    ["nonsense", {}, "does not contain a token"],
    ["no type", { access_token: "a" }, "does not contain a bearer token"],
    ["no lifetime", { access_token: "a", token_type: "Bearer" }, "does not say when the token expires"],
    [
      "a token of several lines",
      { access_token: "a\nb", token_type: "Bearer", expires_in: 1 },
      "does not contain a token",
    ],
    [
      "a huge token",
      { access_token: "a".repeat(20_000), token_type: "Bearer", expires_in: 1 },
      "does not contain a token",
    ],
    [
      "a refresh token that is a number",
      { access_token: "a", token_type: "Bearer", expires_in: 1, refresh_token: 1 },
      "contains an invalid refresh token",
    ],
  ])("is reported for %s instead of tokens", async (_, body, message) => {
    platform.intercept = (request, response) => {
      if (request.url !== "/token") return false;
      respond(200, body)(response);
      return true;
    };
    const result = await logIn();
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
    expect(existsSync(path())).toBe(false);
  });
});

describe("the renewal of a login", () => {
  beforeEach(async () => {
    await logIn();
    platform.requests.length = 0;
  });

  it("happens once for many commands at the same time, also of other processes", async () => {
    change({ expiresAt: past() });
    serveApi();
    const args = ["api", "GET", "/iam/v2beta1/groups"];
    const processes = [1, 2].map(async () => {
      const child = spawn(process.execPath, [program, ...args], { env: env(), stdio: "ignore" });
      return ((await once(child, "exit")) as [number])[0];
    });
    const runs = await Promise.all([run(...args), run(...args), run("token"), run("whoami")]);
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(await Promise.all(processes)).toEqual([0, 0]);
    expect(platform.count("POST /token")).toBe(1);
    change({ expiresAt: past() });
    expect((await run("token")).code).toBe(0);
  });

  it("has no effect on the login if the disk is full", async () => {
    change({ expiresAt: past() });
    const script = `ulimit -f 8; exec "$0" "$@"`;
    const child = spawn("sh", ["-c", `trap '' XFSZ; ${script}`, process.execPath, program, "token"], {
      env: env(),
    });
    const [stderr] = (await once(child.stderr, "data")) as [Buffer];
    await once(child, "exit");
    expect(stderr.toString()).toContain(`muster token: the credentials cannot be written to ${path()}`);
    expect(platform.count("POST /token")).toBe(0);
    expect((await run("token")).code).toBe(0);
  });

  it("is not needed for a token that lasts, whatever the platform is", async () => {
    disconnect();
    expect(await run("token")).toEqual({ code: 0, stdout: `${tokens().accessToken}\n`, stderr: "" });
    expect(platform.requests).toEqual([]);
  });

  it("can fail while the token is still good, with a warning", async () => {
    change({ expiresAt: new Date(Date.now() + 40_000).toISOString() });
    disconnect();
    const { code, stderr, stdout } = await run("token");
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${tokens().accessToken}\n` });
    expect(stderr).toContain("muster: warning: the login could not be renewed, and its token expires at");
    change({ expiresAt: past() });
    expect(await run("token")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("is not available"),
    });
  });

  it("happens early if the platform rejects the token, because a clock is wrong", async () => {
    const { accessToken } = tokens();
    serveApi((token) => token !== accessToken);
    // The clock was a year ahead during the login.
    change({ expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString() });
    expect(await run("api", "GET", "/iam/v2beta1/groups")).toMatchObject({ code: 0, stderr: "" });
    expect(platform.count("POST /token")).toBe(1);
    serveApi(() => false);
    const { code, stderr } = await run("api", "GET", "/iam/v2beta1/groups");
    expect(code).toBe(26);
    expect(stderr).toContain("UNAUTHENTICATED: the token was ended\n  Log in again: muster login --platform-url");
  });

  it("is stored before Ctrl-C ends the command, because its refresh token was used", async () => {
    const { refreshToken } = tokens();
    change({ expiresAt: past() });
    const stop = new AbortController();
    platform.intercept = ({ url }) => {
      if (url === "/token") stop.abort(new Error("stopped by SIGINT"));
      return false;
    };
    const result = await runCommand(["token"], { env: env(), signal: stop.signal });
    expect(result).toEqual({ code: 1, stdout: "", stderr: "muster token: stopped by SIGINT\n" });
    expect(tokens().refreshToken).not.toBe(refreshToken);
    change({ expiresAt: past() });
    expect((await run("token")).code).toBe(0);
  });

  it("ends the login if its refresh token was used, and does not ask again", async () => {
    const { refreshToken } = tokens();
    change({ expiresAt: past() });
    expect((await run("token")).code).toBe(0);
    change({ expiresAt: past(), refreshToken });
    const { code, stderr, stdout } = await run("token");
    expect({ code, stdout }).toEqual({ code: 26, stdout: "" });
    expect(stderr).toContain(`the login to ${platform.url} has ended (the platform refused: invalid_grant`);
    expect(stderr).toContain(`Log in: muster login --platform-url ${platform.url}`);
    expect(readFileSync(path(), "utf8")).not.toMatch(/accessToken|refreshToken/);
    platform.requests.length = 0;
    expect(await run("whoami")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
    expect(platform.requests).toEqual([]);
    expect((await logIn(["login"])).code).toBe(0);
  });
});

describe("muster logout", () => {
  it("ends the login on the platform, and removes its tokens", async () => {
    await logIn();
    const file = readFileSync(path());
    expect(await run("logout")).toEqual({ code: 0, stdout: `Logged out of ${platform.url}.\n`, stderr: "" });
    expect(stored()).toEqual({ version: 1, logins: {} });
    expect(await run("logout")).toMatchObject({ code: 0, stdout: "You are not logged in.\n" });
    expect(await run("whoami")).toMatchObject({ code: 26, stderr: expect.stringContaining("you are not logged in") });
    writeFileSync(path(), file);
    change({ expiresAt: past() });
    expect(await run("token")).toMatchObject({ code: 26, stderr: expect.stringContaining("has ended") });
  });

  it("removes the tokens even if the platform is away, and says so", async () => {
    await logIn();
    disconnect();
    const { code, stderr } = await run("logout", "--all");
    expect(code).toBe(1);
    expect(stderr).toContain(
      `the tokens for ${platform.url} were removed from this machine, but the login could not be ended`,
    );
    expect(stored().logins).toEqual({});
  });
});

describe("muster whoami", () => {
  it("prints the identity, its provider, its roles and when the login ends", async () => {
    await logIn();
    serveApi();
    const { code, stdout } = await run("whoami");
    expect(code).toBe(0);
    expect(stdout).toBe(`Platform       ${platform.url}
Identity       alice (${testIdentity})
Issuer         https://idp.example.com
Subject        alice
Roles          owner in shop (${group})
               viewer in shop (${group})
Token expires  ${tokens().expiresAt}
Login expires  not known
`);
    expect(JSON.parse((await run("whoami", "-o", "json")).stdout)).toMatchObject({
      identity: { uid: testIdentity, name: "alice" },
      roles: [{ group: { name: "shop" }, role: { name: "owner" } }, { role: { name: "viewer" } }],
    });
    expect((await run("whoami", "-o", "yaml")).stdout).toContain("subject: alice\n");
  });

  it("prints what it knows to a person who may read nothing", async () => {
    await logIn();
    platform.intercept = (request, response) => {
      if (request.url?.startsWith("/iam/") !== true) return false;
      respond(403, { code: 7, message: "no permission", details: [] })(response);
      return true;
    };
    const { code, stdout } = await run("whoami");
    expect(code).toBe(0);
    expect(stdout).toContain(`Identity       ${testIdentity}\n`);
    expect(stdout).toContain("Roles          none that you may list\n");
  });
});

describe("muster token", () => {
  const uid = `${"c".repeat(40)}/${"d".repeat(16)}`;

  it("prints the login's token, or JSON with its expiry", async () => {
    await logIn();
    const { accessToken, expiresAt } = tokens();
    expect(await run("token")).toEqual({ code: 0, stdout: `${accessToken}\n`, stderr: "" });
    expect(JSON.parse((await run("token", "-o", "json")).stdout)).toEqual({ token: accessToken, expiry: expiresAt });
  });

  it("exchanges the workload's own token as soon as a setting of it is given", async () => {
    await logIn();
    for (const args of [
      ["--identity", uid],
      ["--api-audience", "a"],
      ["--subject-token-file", "f"],
    ]) {
      const { code, stderr } = await run("token", ...args);
      expect(code).toBe(2);
      expect(stderr).toContain("--auth-url (or MUSTER_AUTH_URL) is required: The address of the token service");
    }
    const complete = ["--identity", uid, "--auth-url", platform.url, "--api-audience", "a"];
    expect(await run("token", ...complete)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("/var/run/muster/source/token does not exist"),
    });
  });

  it("does not print the token of another login than the settings say", async () => {
    await logIn();
    expect(await run("token", "--auth-url", "https://auth.example")).toMatchObject({ code: 2, stdout: "" });
    const { code, stderr } = await run("token", "--platform-url", "https://other.example");
    expect(code).toBe(26);
    expect(stderr).toContain("muster login --platform-url https://other.example");
  });

  it("exits with 2 where there is neither a login nor a workload", async () => {
    expect(await run("token")).toMatchObject({ code: 2, stderr: expect.stringContaining("run muster login") });
  });
});
