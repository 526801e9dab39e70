import { execFileSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { readStream, readText, readTextSync } from "./read-text.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-read-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "file");
writeFileSync(file, "é".repeat(100_000));

function namedPipe(name: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  return path;
}

it("reads a file, and a stream of texts or bytes", async () => {
  expect(await readText(file)).toBe("é".repeat(100_000));
  expect(readTextSync(file)).toBe("é".repeat(100_000));
  const bytes = Buffer.from("aé");
  expect(await readStream(Readable.from([bytes.subarray(0, 2), bytes.subarray(2), "b"]))).toBe("aéb");
});

it("reads as much as is permitted, and no byte more", async () => {
  const limits = { maxBytes: 200_000 };
  expect([await readText(file, limits), readTextSync(file, limits)].map(({ length }) => length)).toEqual([1e5, 1e5]);
  const fewer = { maxBytes: 199_999 };
  await expect(readText(file, fewer)).rejects.toThrow("it is larger than");
  expect(() => readTextSync(file, fewer)).toThrow("it is larger than");
});

it("ends at a device and at a stream that have no end", async () => {
  const maxBytes = 2 ** 20;
  await expect(readText("/dev/zero", { maxBytes })).rejects.toThrow("it is larger than 1 MiB");
  expect(() => readTextSync("/dev/zero", { maxBytes })).toThrow("it is larger than 1 MiB");
  const endless = Readable.from(
    (function* () {
      for (;;) yield "a".repeat(10_000);
    })(),
  );
  await expect(readStream(endless)).rejects.toThrow("it is larger than 4 MiB");
  expect(endless.destroyed).toBe(true);
});

it("reads a named pipe whose writer comes later", async () => {
  const pipe = namedPipe("written");
  const text = readText(pipe);
  createWriteStream(pipe).end("a".repeat(100_000));
  expect(await text).toBe("a".repeat(100_000));
});

it("waits for the writer of a named pipe until it is told to stop", async () => {
  const stop = new AbortController();
  const text = readText(namedPipe("unwritten"), { signal: stop.signal });
  stop.abort(new Error("stopped by the test"));
  await expect(text).rejects.toThrow("stopped by the test");
});

it("passes on that there is no file, or that it is a folder", async () => {
  await expect(readText(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  await expect(readText(folder)).rejects.toMatchObject({ code: "EISDIR" });
  expect(() => readTextSync(folder)).toThrow("EISDIR");
});
