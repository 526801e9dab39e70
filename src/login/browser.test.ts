import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findBrowser, openBrowser } from "./browser.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-browser-"));
  for (const name of ["xdg-open", "wslview", "my browser"])
    writeFileSync(join(folder, name), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  writeFileSync(join(folder, "not-executable"), "", { mode: 0o644 });
  mkdirSync(join(folder, "a-folder"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const find = (env: Readonly<Record<string, string>>, platform: NodeJS.Platform = "linux") =>
  findBrowser({ env: { PATH: folder, ...env }, platform });

it.each([
  ["the system's opener", { DISPLAY: ":0" }, "xdg-open"],
  ["it on Wayland, too", { WAYLAND_DISPLAY: "wayland-0" }, "xdg-open"],
  ["the one of Windows in WSL", { WSL_DISTRO_NAME: "Debian" }, "wslview"],
  ["the program of BROWSER, also over SSH", { BROWSER: "my browser", SSH_CONNECTION: "1" }, "my browser"],
  ["the first one of several in BROWSER", { BROWSER: "wslview:lynx" }, "wslview"],
])("finds %s", (_, env, name) => {
  expect(find(env)).toEqual({ kind: "program", file: join(folder, name), args: [] });
});

it.each([
  ["without a display", {}, "no display"],
  ["in an SSH session", { DISPLAY: ":0", SSH_CONNECTION: "192.0.2.1 1 192.0.2.2 22" }, "this is an SSH session"],
  ["without an opener", { DISPLAY: ":0", PATH: "/nowhere" }, "xdg-open, which opens the browser, is not installed"],
  ["without the program of BROWSER", { BROWSER: "lynx" }, "the program of the variable BROWSER (lynx) was not found"],
  ["with a shell command in BROWSER", { BROWSER: "lynx; rm -rf /" }, "was not found"],
  ["with a file that is not a program", { BROWSER: "not-executable" }, "was not found"],
  ["with a folder", { BROWSER: "a-folder" }, "was not found"],
  ["with a relative folder in PATH", { BROWSER: "browser.ts", PATH: "src/login" }, "was not found"],
])("finds none %s", (_, env, reason) => {
  expect(find(env)).toEqual({ kind: "none", reason: expect.stringContaining(reason) });
});

it("uses no shell on other systems either", () => {
  expect(find({}, "darwin")).toEqual({ kind: "program", file: "/usr/bin/open", args: [] });
  expect(find({ SystemRoot: "C:\\Windows" }, "win32")).toMatchObject({
    file: expect.stringMatching(/System32.rundll32\.exe$/),
    args: ["url.dll,FileProtocolHandler"],
  });
});

it("reports a program that fails or cannot be started, and hands no setting on", async () => {
  const address = "http://127.0.0.1:1/login/a";
  const env = { DISPLAY: ":0", MUSTER_INVITE: "secret" };
  const printer = join(folder, "printer");
  writeFileSync(printer, `#!/bin/sh\n{ echo "$@"; env; } > ${folder}/printed; exit 1\n`, { mode: 0o755 });
  const failure = (file: string) =>
    new Promise<string>((resolve) =>
      openBrowser({ kind: "program", file, args: [] }, address, { PATH: process.env["PATH"], ...env }, resolve),
    );
  expect(await failure(join(folder, "xdg-open"))).toBe(`${join(folder, "xdg-open")} exited with 3`);
  expect(await failure(printer)).toContain("exited with 1");
  const printed = readFileSync(join(folder, "printed"), "utf8").split("\n");
  expect(printed).toEqual(expect.arrayContaining([address, "DISPLAY=:0"]));
  expect(printed.filter((line) => line.startsWith("MUSTER_"))).toEqual([]);
  expect(await failure("/nowhere/browser")).toContain("ENOENT");
});
