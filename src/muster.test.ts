import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const launcher = resolve("src/muster.sh");

describe("the launcher", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster-launcher-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** A PATH with the given Node.js and the tools that a POSIX shell script uses. */
  function pathWithNode(version: string | undefined): string {
    for (const tool of ["sh", "readlink", "dirname"])
      symlinkSync(execFileSync("sh", ["-c", `command -v ${tool}`], { encoding: "utf8" }).trim(), join(folder, tool));
    if (version !== undefined)
      writeFileSync(join(folder, "node"), `#!/bin/sh\necho ${version} "$@"\n`, { mode: 0o755 });
    return folder;
  }

  /** A checkout with packages, but without a Node.js that npm installed, as on macOS. */
  function checkoutWithoutNode(): string {
    mkdirSync(join(folder, "checkout/src"), { recursive: true });
    mkdirSync(join(folder, "checkout/node_modules"));
    cpSync(launcher, join(folder, "checkout/src/muster.sh"));
    return join(folder, "checkout/src/muster.sh");
  }

  const run = (file: string, PATH: string, ...args: string[]) =>
    spawnSync(file, args, { encoding: "utf8", env: { PATH } });

  it("runs through npm's links with the Node.js of the packages, whatever the PATH has", () => {
    symlinkSync(resolve("."), join(folder, "linked"));
    symlinkSync("linked/src/muster.sh", join(folder, "muster"));
    const { status, stdout, stderr } = run(join(folder, "muster"), pathWithNode("v20.20.2"), "platform", "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("--listen HOST:PORT");
  });

  it("is found by the program that Docker runs, where npm links both", () => {
    symlinkSync(resolve("."), join(folder, "linked"));
    symlinkSync("linked/src/muster.sh", join(folder, "muster"));
    symlinkSync("linked/src/docker-credential-muster.sh", join(folder, "docker-credential-muster"));
    const env = { PATH: pathWithNode(undefined), MUSTER_REGISTRY: "registry.example.com" };
    const helper = join(folder, "docker-credential-muster");
    const { status, stdout, stderr } = spawnSync(helper, ["list"], { encoding: "utf8", env });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '{"registry.example.com":"_token"}', stderr: "" });
  });

  it("uses the Node.js of the PATH where the packages bring none", () => {
    const file = checkoutWithoutNode();
    const { stdout } = run(file, pathWithNode("v26.1.0"), "operator");
    expect(stdout).toBe(`v26.1.0 ${join(folder, "checkout/src/main.ts")} operator\n`);
  });

  it.each(["v20.20.2", undefined])("says which Node.js is required where the PATH has %s", (version) => {
    const { status, stderr } = run(checkoutWithoutNode(), pathWithNode(version));
    expect(status).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^muster: Node.js 24 or later is required, and the PATH has ${version ?? "none"}`),
    );
  });

  it("says how to install missing packages", () => {
    const file = checkoutWithoutNode();
    rmSync(join(folder, "checkout/node_modules"), { recursive: true });
    const { status, stderr } = run(file, pathWithNode("v26.1.0"));
    expect(status).toBe(1);
    expect(stderr).toContain(`Run: cd ${join(folder, "checkout")} && npm ci`);
  });
});
