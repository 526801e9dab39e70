import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { expectAccessible } from "#src/platform/tests/accessible-page.testing.ts";
import { startChromium } from "#src/platform/tests/chromium.testing.ts";
import { bindings, company, hostileNames, openCompany } from "./company.testing.ts";
import { reportContent } from "./report-content.ts";
import { reportPage } from "./report-page.ts";

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-report-"));
  browser = await startChromium();
}, 120_000);
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

interface OpenedPage {
  readonly page: Page;
  /** What the browser reports, such as violations of the policy. */
  readonly reports: readonly string[];
  /** The addresses of what the page has loaded, without itself. */
  readonly loaded: readonly string[];
}

/** Opens a page from a file, without a network. */
async function open(text: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const file = join(folder, "report.html");
  writeFileSync(file, text);
  const context = await browser.newContext({ offline: true, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const [reports, loaded]: [string[], string[]] = [[], []];
  page.on("console", (message) => reports.push(message.text()));
  page.on("pageerror", (error) => reports.push(error.message));
  const { href } = pathToFileURL(file);
  page.on("request", (request) => request.url() !== href && loaded.push(request.url()));
  await page.goto(href);
  return { page, reports, loaded };
}

const reportOf = (options: Parameters<typeof openCompany>[0], at: string = company.shop) =>
  reportPage(reportContent(openCompany(options), at), undefined);
const declares = [bindings.admin, bindings.robot];
const shown = (page: Page) => page.locator("tbody tr:visible td:first-child b").allTextContents();

describe.each<[string, BrowserContextOptions]>([
  ["light, wide", { colorScheme: "light" }],
  ["dark, wide", { colorScheme: "dark" }],
  ["light, on a phone", { colorScheme: "light", viewport: { width: 320, height: 640 } }],
  ["dark, on a phone", { colorScheme: "dark", viewport: { width: 320, height: 640 } }],
])("the page, %s", (_, options) => {
  it("is accessible, loads nothing, and causes no report of the browser", async () => {
    const state = openCompany().model.state;
    const changes = { seesEverything: false, roles: state.roles.slice(0, 2) };
    const { page, reports, loaded } = await open(reportOf({ declares, changes, others: hostileNames }), options);
    await expectAccessible(page);
    expect([...reports, ...loaded]).toEqual([]);
  });
});

it("shows names of the platform as they are, and runs none of them", async () => {
  const { page, reports } = await open(reportOf({ others: hostileNames }));
  // Two of the names differ only in what is not visible.
  const paths = (await shown(page)).map((path) => path.replace(/ \([0-9a-f]{16}\)$/, ""));
  for (const name of hostileNames) expect(paths).toContain(`acme/shop/web/${name}`);
  expect(await page.title()).toBe("Access to acme/shop");
  expect(await page.locator("img, tbody h1, iframe").count()).toBe(0);
  expect(await page.locator("script").count()).toBe(1);
  expect(reports).toEqual([]);
});

it("runs no other script, even if the page were changed to have one", async () => {
  const changed = reportOf({}).replace(
    "<footer>",
    `<script>document.title = "owned"</script><p onclick="1">x</p><footer>`,
  );
  const { page, reports } = await open(changed);
  expect(await page.title()).toBe("Access to acme/shop");
  expect(reports).toEqual([expect.stringContaining("violates the following Content Security Policy directive")]);
  const policy = await page.locator("meta[http-equiv]").getAttribute("content");
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+'; base-uri 'none'/);
  expect(policy).not.toContain("unsafe");
});

it("shows everything without a script", async () => {
  const { page } = await open(reportOf({ declares }), { javaScriptEnabled: false });
  expect(await page.locator("tbody tr").count()).toBe(3);
  expect(await page.locator("#filter").isVisible()).toBe(false);
  expect(await page.locator("#tree li:visible").count()).toBe(3);
});

describe("with the keyboard alone", () => {
  /** Presses keys one after the other. */
  const press = async (page: Page, ...keys: readonly string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const focused = (page: Page) =>
    page.evaluate<string>(`document.activeElement.id || document.getElementById(
      document.activeElement.getAttribute("aria-labelledby"))?.dataset.path || document.activeElement.textContent`);

  it("leads from the link to the table through the filter to one place in the tree", async () => {
    const { page } = await open(reportOf({ declares }));
    const stops: string[] = [];
    for (let stop = 0; stop < 8; stop += 1) {
      await press(page, "Tab");
      stops.push(await focused(page));
    }
    expect(stops).toEqual([
      "Skip to the role bindings",
      "find",
      "capability",
      "undeclared",
      "reach",
      "clear",
      "acme/shop",
      "editor",
    ]);
    expect(await page.evaluate<string>("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
  });

  it("walks through the tree, folds it, and shows what applies in a group", async () => {
    const { page } = await open(reportOf({ declares }));
    await press(page, "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "ArrowDown");
    expect(await focused(page)).toBe("acme/shop/web");
    await press(page, "Enter");
    expect(await page.locator("[aria-selected=true]").count()).toBe(1);
    await press(page, "Home");
    expect(await focused(page)).toBe("acme");
    await press(page, "ArrowLeft");
    expect(await page.locator("#tree li:visible").count()).toBe(1);
    await press(page, "ArrowRight", "ArrowRight");
    expect(await focused(page)).toBe("acme/shop");
    await press(page, "End", "ArrowLeft");
    expect(await focused(page)).toBe("acme/shop");
    await press(page, "Home", " ");
    await page.getByLabel("Bound").selectOption("here");
    expect(await shown(page)).toEqual(["acme/admin"]);
    expect(await page.getByRole("status").textContent()).toBe("1 of 3 role bindings, for acme");
  });

  it("finds by text, capability and declaration, and says if nothing is left", async () => {
    const { page } = await open(reportOf({ declares }));
    expect(await shown(page)).toEqual(["acme/shop/ci", "acme/admin", "acme/shop/web/robot"]);
    await press(page, "Tab", "Tab");
    await page.keyboard.type("SHOP publisher");
    expect(await shown(page)).toEqual(["acme/shop/web/robot"]);
    await press(page, "Control+a", "Delete", "Tab");
    await page.keyboard.type("repo.create");
    expect(await shown(page)).toEqual(["acme/shop/ci"]);
    await press(page, "Tab");
    await page.keyboard.type("und");
    expect(await shown(page)).toEqual(["acme/shop/ci"]);
    await page.getByLabel("Grants").selectOption("tag.create");
    expect(await shown(page)).toEqual([]);
    expect(await page.getByText("No role binding matches the filter.").isVisible()).toBe(true);
    await page.getByRole("button", { name: "Clear" }).focus();
    await press(page, "Enter");
    expect(await page.getByRole("status").textContent()).toBe("All 3 role bindings");
    expect(await focused(page)).toBe("find");
  });
});

it("leaves out no role binding of which it is unknown what it grants, or who declares it", async () => {
  const { roles } = openCompany().model.state;
  const changes = { seesEverything: false, roles: roles.slice(0, 2) };
  const { page } = await open(reportOf({ declares, changes }));
  await page.getByLabel("Grants").selectOption("repo.create");
  expect(await shown(page)).toEqual(["acme/shop/ci", "acme/shop/web/robot"]);
  const { page: other } = await open(reportOf({}));
  await other.getByLabel("Show").selectOption("undeclared");
  expect(await shown(other)).toHaveLength(3);
});
