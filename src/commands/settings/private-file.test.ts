import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requirePrivateFile } from "./private-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-private-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, "secret");
  chmodSync(path, mode);
  return path;
}

it.each([0o600, 0o400, 0o640, 0o660, 0o440, 0o601])("accepts a file with mode %o", (mode) => {
  expect(() => requirePrivateFile("--key-file", file("key", mode))).not.toThrow();
});

it.each([0o644, 0o604, 0o666, 0o602])("refuses a file with mode %o, and says how to change it", (mode) => {
  const path = file("key", mode);
  const text = `--key-file: every user of this machine can access ${path} (mode 0${mode.toString(8)}); run: chmod o-rwx ${path}`;
  expect(() => requirePrivateFile("--key-file", path)).toThrow(text);
});

it("leaves a missing file to whatever reads it", () => {
  expect(() => requirePrivateFile("--key-file", join(folder, "missing"))).not.toThrow();
});

describe("a link to a file with mode 644", () => {
  it("is accepted in a volume of Kubernetes, also in a folder of it", () => {
    mkdirSync(join(folder, "..2026_11_22/tls"), { recursive: true });
    file("..2026_11_22/token", 0o644);
    file("..2026_11_22/tls/key", 0o644);
    symlinkSync("..2026_11_22", join(folder, "..data"));
    symlinkSync("..data/token", join(folder, "token"));
    symlinkSync("..data/tls", join(folder, "tls"));
    expect(() => requirePrivateFile("--token-file", join(folder, "token"))).not.toThrow();
    expect(() => requirePrivateFile("--tls-key", join(folder, "tls/key"))).not.toThrow();
  });

  it("is refused elsewhere", () => {
    symlinkSync(file("data", 0o644), join(folder, "link"));
    expect(() => requirePrivateFile("--token-file", join(folder, "link"))).toThrow("mode 0644");
  });
});
