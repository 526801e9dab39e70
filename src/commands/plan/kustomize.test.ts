import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { kustomize } from "./kustomize.ts";

const files = mkdtempSync(join(tmpdir(), "muster-kustomize-"));
afterAll(() => rmSync(files, { recursive: true }));
const { signal } = new AbortController();

/** A PATH with programs of these texts alone. */
function pathWith(name: string, programs: Readonly<Record<string, string>>): string {
  const path = join(files, name);
  mkdirSync(path);
  for (const [program, text] of Object.entries(programs)) {
    writeFileSync(join(path, program), `#!/bin/sh\n${text}\n`);
    chmodSync(join(path, program), 0o755);
  }
  return path;
}
const overlay = join(files, "--flag; echo injected");
mkdirSync(overlay);

it.each([
  ["kubectl", { kubectl: 'echo "kubectl $# $1 $2"', kustomize: "echo no" }, `kubectl 2 kustomize ${overlay}\n`],
  ["kustomize where kubectl is missing", { kustomize: 'echo "kustomize $# $1 $2"' }, `kustomize 2 build ${overlay}\n`],
])("runs %s without a shell", async (name, programs, expected) => {
  expect(await kustomize(overlay, { env: { PATH: pathWith(name, programs) }, signal })).toBe(expected);
});

it("says what to do if the folder, or both programs, are missing, and why a folder is refused", async () => {
  const env = { PATH: pathWith("none", {}) };
  await expect(kustomize(overlay, { env, signal })).rejects.toThrow("neither kubectl nor kustomize is in the PATH");
  await expect(kustomize(join(files, "x"), { env, signal })).rejects.toThrow("is not a folder");
  const refusing = { PATH: pathWith("refusing", { kubectl: "echo 'no kustomization file' >&2; exit 1" }) };
  await expect(kustomize(overlay, { env: refusing, signal })).rejects.toThrow(
    /kubectl kustomize .*: no kustomization file/,
  );
});
