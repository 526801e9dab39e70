import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { LoginWorld } from "#src/platform/tests/login-world.testing.ts";
import { TestBrowser } from "#src/platform/tests/test-browser.testing.ts";

// The commands with the platform itself, and a provider where people log in.

let world: LoginWorld;
let home = "";
beforeAll(async () => {
  world = await LoginWorld.start();
  home = mkdtempSync(join(tmpdir(), "muster-people-"));
});
afterAll(async () => {
  rmSync(home, { recursive: true });
  await world.stop();
});

const run = (args: readonly string[], onStderr: (text: string) => void = () => undefined): Promise<CommandRun> =>
  runCommand(args, { env: { HOME: home, BROWSER: "/bin/true" }, onStderr });

/** A person who opens the address on the terminal, logs in and decides. */
async function logIn(args: readonly string[], decision: "approve" | "deny" = "approve", account = "ada") {
  const browser = new TestBrowser(world.issuer.ca, []);
  let visited: Promise<string> = Promise.resolve("");
  const result = await run(args, (text) => {
    const [address] = /http:\S+\/authorize\?\S+/.exec(text) ?? [];
    if (address === undefined) return;
    visited = world
      .logIn(browser, address, account)
      .then((page) => (page.url.includes("/callback?") ? page : browser.submit(page, { decision })))
      .then((page) => page.text);
  });
  const page = await visited;
  await browser.close();
  return { ...result, page };
}

it("leads from nothing to an authorized call, and back", async () => {
  const { platform } = world;
  const { group } = await world.group();
  const login = await logIn(["login", "--platform-url", platform.url, "--group", group]);
  expect(login).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Logged in to http:\S+ as [0-9a-f/]+\.\n$/) });
  expect(login.page).toContain("You may close this window.");
  const [, uid = ""] = / as ([0-9a-f/]+)\./.exec(login.stdout) ?? [];

  const whoami = await run(["whoami"]);
  expect(whoami.code).toBe(0);
  for (const text of [uid, world.issuer.url, "ada", "viewer in", group]) expect(whoami.stdout).toContain(text);

  const { loginExpires } = JSON.parse((await run(["whoami", "-o", "json"])).stdout) as { loginExpires: string };
  expect(Math.abs(Date.parse(loginExpires) - Date.now() - 86_400_000)).toBeLessThan(60_000);

  const groups = await run(["api", "GET", "/iam/v2beta1/groups"]);
  expect(groups.code).toBe(0);
  expect((JSON.parse(groups.stdout) as { groups: object[] }).groups).toMatchObject([{ uid: group }]);
  expect((await run(["api", "GET", "/iam/v2beta1/groups", "--paginate"])).stdout).toContain(`"uid":"${group}"`);

  const rename = await run(["api", "PATCH", `/iam/v2beta1/groups/${group}`, "-f", "name=other"]);
  expect(rename).toMatchObject({ code: 17, stdout: "" });

  const token = (await run(["token"])).stdout.trim();
  expect((await platform.as(token).ok("GET", `/iam/v2beta1/groups/${group}`)).uid).toBe(group);

  const path = join(home, ".config/muster/credentials.json");
  const before = readFileSync(path, "utf8");
  writeFileSync(path, before.replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00.000Z"'));
  const renewed = (await run(["token"])).stdout.trim();
  expect(renewed).not.toBe(token);
  expect((await platform.as(renewed).ok("GET", `/iam/v2beta1/groups/${group}`)).uid).toBe(group);

  const after = readFileSync(path, "utf8");
  const logout = await run(["logout"]);
  expect(logout).toMatchObject({ code: 0, stdout: `Logged out of ${platform.url}.\n` });
  // What somebody has copied is worth nothing.
  writeFileSync(path, after.replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00.000Z"'));
  expect(await run(["token"])).toMatchObject({ code: 26, stdout: "" });
});

it("says what the platform says to a person who does not agree, or whose login is refused", async () => {
  const { group } = await world.group();
  const args = ["login", "--platform-url", world.platform.url, "--group", group];
  expect(await logIn(args, "deny")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /muster login: the platform refused: .+\nMore: docs\/reference\/errors\.md#login-refused\n$/,
    ),
    page: expect.stringContaining("The terminal shows the reason."),
  });
  const { code, stderr } = await logIn([...args, "--audience", "https://elsewhere.example"]);
  expect(code).toBe(1);
  expect(stderr).toContain("muster login: the platform refused: ");
});

it("redeems an invite", async () => {
  const { group } = await world.group();
  const invite = await world.invite(group, "editor");
  const args = ["login", "--platform-url", world.platform.url, "--group", group, "--invite", invite];
  expect(await logIn(args, "approve", "grace")).toMatchObject({ code: 0 });
  expect((await run(["whoami"])).stdout).toContain("editor in");
});
