import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { listenOnLoopback, portOf } from "#test/support/loopback.ts";
import { expectAccessible } from "./accessible-page.testing.ts";
import { startChromium } from "./chromium.testing.ts";
import { LoginWorld } from "./login-world.testing.ts";

let world: LoginWorld;
let browser: Browser;
let group: string;
/** The program that waits for the browser, on IPv4 and IPv6. */
let programs: readonly Server[];
const requests: string[] = [];
const arrived = (request: IncomingMessage) => requests.push(request.url ?? "");

beforeAll(async () => {
  [browser, world] = await Promise.all([startChromium(), LoginWorld.start()]);
  ({ group } = await world.group({ name: "example accounts" }));
  const first = createServer((request, response) => {
    arrived(request);
    response.end("You can close this page.");
  });
  await listenOnLoopback(first);
  const second = createServer((request, response) => first.emit("request", request, response)).listen(
    portOf(first),
    "::1",
  );
  await once(second, "listening");
  programs = [first, second];
}, 120_000);
afterAll(async () => {
  await browser.close();
  for (const program of programs) program.closeAllConnections();
  for (const program of programs) program.close();
  await world.stop();
});

/** A page in a new browser profile. What the browser reports about it must be empty at the end. */
async function newPage(options: BrowserContextOptions = {}): Promise<{ page: Page; reports: string[] }> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const reports: string[] = [];
  page.on("console", (message) => reports.push(message.text()));
  page.on("pageerror", (error) => reports.push(error.message));
  return { page, reports };
}

/** For people who want to look at the pages: `LOGIN_PICTURES` names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env["LOGIN_PICTURES"];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const urlFor = (host: string, parameters: Readonly<Record<string, string>> = {}) =>
  world.authorizeUrl({
    group,
    redirect_uri: `http://${host}:${portOf(programs[0] as Server)}/callback`,
    ...parameters,
  });

async function toConsent(page: Page, url: string, account: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel("Account").fill(account);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("heading", { name: "Log in?" }).waitFor();
}

describe.each<[string, BrowserContextOptions]>([
  ["light", { colorScheme: "light" }],
  ["dark, on a phone", { colorScheme: "dark", viewport: { width: 320, height: 640 } }],
])("the pages of a login, %s", (name, options) => {
  it("lead from the program to the provider and back, with the keyboard alone", async () => {
    const { page, reports } = await newPage(options);
    const invite = await world.invite(group, "editor");
    await toConsent(page, urlFor("127.0.0.1", { invite }), `ada-${name.slice(0, 4)}`);
    await expectAccessible(page);
    await picture(page, `consent ${name}`);
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Log in");
    expect(await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
    await picture(page, `focus ${name}`);
    await page.keyboard.press("Enter");
    await page.waitForURL(/:\d+\/callback\?/);
    expect(new URL(page.url()).searchParams.get("code")).toMatch(/^[\w-]{43}$/);
    expect(reports).toEqual([]);
  });

  it("show the choice of providers, the form for a device, and errors", async () => {
    const { page, reports } = await newPage(options);
    const below = await world.platform.admin.group(group);
    await world.provider(below, { name: "contractors" });
    await page.goto(urlFor("127.0.0.1", { group: below }));
    await expectAccessible(page);
    await picture(page, `choice ${name}`);
    expect(await page.getByRole("link").allTextContents()).toEqual([
      "Continue with contractors",
      "Continue with example accounts",
    ]);

    const { body } = await world.post("/device_authorization", { group });
    await page.goto(`${world.platform.url}/device`);
    await expectAccessible(page);
    await picture(page, `device ${name}`);
    await page.keyboard.type("BBBBBBBB");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await expectAccessible(page);
    await picture(page, `wrong code ${name}`);
    await page.getByLabel("Code").fill(String(body["user_code"]));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("asked for this code").waitFor();
    await expectAccessible(page);
    await picture(page, `device found ${name}`);
    await page.getByRole("link", { name: "Continue with example accounts" }).click();
    await page.getByLabel("Account").fill("ada");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("Another device").waitFor();
    await expectAccessible(page);
    await picture(page, `device consent ${name}`);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("status").waitFor();
    await picture(page, `device done ${name}`);

    await page.goto(`${world.platform.url}/authorize?client_id=muster-cli`);
    await expectAccessible(page);
    await picture(page, `error ${name}`);
    // The browser reports the status of the pages for the wrong code and the error, and nothing else.
    expect(reports.filter((report) => !report.includes("the server responded with a status of 400"))).toEqual([]);
  });
});

it.each(["localhost", "[::1]"])("return to a program that listens on %s", async (host) => {
  const { page, reports } = await newPage();
  await toConsent(page, urlFor(host), "ada");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL(/:\d+\/callback\?error=access_denied/);
  expect(reports).toEqual([]);
});

it("are safe from the page of a stranger", async () => {
  const { group: own } = await world.group();
  const { page } = await newPage();
  await toConsent(page, urlFor("127.0.0.1", { group: own }), "ada");
  const formToken = await page.locator("input[name=form_token]").getAttribute("value");
  const consent = `${world.platform.url}/login/consent`;
  // Of another site than 127.0.0.1. It even knows the form token, which it cannot.
  const stranger = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><title>stranger</title><iframe src="${world.platform.url}/device"></iframe>
<form method="post" action="${consent}"><input name="form_token" value="${formToken}"><button name="decision" value="approve">Win</button></form>`);
  }).listen(0, "localhost");
  await once(stranger, "listening");
  onTestFinished(() => void stranger.close());
  const other = await page.context().newPage();
  const blocked = other.waitForEvent("console", { predicate: (message) => message.text().includes("frame-ancestors") });
  await other.goto(`http://localhost:${portOf(stranger)}/`);
  await blocked;
  await other.getByRole("button", { name: "Win" }).click();
  await other.getByRole("heading", { name: "The login failed" }).waitFor();
  const { identities } = await world.platform.admin.ok("GET", `/iam/v2beta1/identities?uidp.children_of=${own}`);
  expect(identities).toEqual([]);
});
