import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { readManifests } from "./read-manifests.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-manifests-"));
afterAll(() => rmSync(folder, { recursive: true }));
const namespace = (name: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`;
const { signal } = new AbortController();
const read = (paths: readonly string[], { stdin = Readable.from([""]), stop = signal } = {}) =>
  readManifests(paths, { stdin, signal: stop, namespace: "shop", kinds });

it("reads links to files, and follows no link to a folder, which may lead back", async () => {
  writeFileSync(join(folder, "one.yaml"), namespace("one"));
  // With two of them, the paths would double at each of 40 levels.
  for (const link of ["loop", "again"]) symlinkSync(".", join(folder, link));
  const elsewhere = mkdtempSync(join(tmpdir(), "muster-manifests-"));
  writeFileSync(join(elsewhere, "data"), namespace("two"));
  symlinkSync(join(elsewhere, "data"), join(folder, "two.yaml"));
  try {
    const { manifests } = await read([folder]);
    expect(manifests.map(({ object }) => object.metadata.name)).toEqual(["one", "two"]);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});

it("names a pipe in a folder, because its writer may never come", async () => {
  const pipes = join(folder, "pipes");
  mkdirSync(pipes);
  execFileSync("mkfifo", [join(pipes, "pipe.yaml")]);
  await expect(read([pipes])).rejects.toThrow(`--filename: ${pipes}/pipe.yaml is not a file`);
});

it("ends at a device and at a standard input that have no end", { timeout: 60_000 }, async () => {
  const mebibyte = "a".repeat(2 ** 20);
  const endless = Readable.from(
    (function* () {
      for (;;) yield mebibyte;
    })(),
  );
  await expect(read(["/dev/zero"])).rejects.toThrow(
    "--filename: with /dev/zero, the manifests are larger than 256 MiB: plan them in parts",
  );
  await expect(read(["-"], { stdin: endless })).rejects.toThrow("with standard input, the manifests are larger");
});

it("stops to wait for the writer of a pipe when the command is stopped", async () => {
  const stop = new AbortController();
  const pipe = join(folder, "waiting");
  execFileSync("mkfifo", [pipe]);
  const reading = read([pipe], { stop: stop.signal });
  stop.abort(new Error("stopped by the test"));
  await expect(reading).rejects.toThrow("stopped by the test");
});

it("shows the first mistakes, and counts the others", async () => {
  const mistakes = "kind: Wrong\n---\n".repeat(1_000);
  const error = await read(["-"], { stdin: Readable.from([mistakes]) }).catch((thrown: unknown) => String(thrown));
  expect(error).toContain("standard input: document 100 (line 199)");
  expect(error).toMatch(/\n {2}and 900 more$/);
});
