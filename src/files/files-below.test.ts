import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { filesBelow } from "./files-below.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-below-"));
afterAll(() => rmSync(folder, { recursive: true }));
for (const path of ["b", "a/z", ".git"]) mkdirSync(join(folder, path), { recursive: true });
for (const path of ["c", "a/one", "a/z/two", ".git/three"]) writeFileSync(join(folder, path), "");
// Each would double the number of paths at each of 40 levels.
symlinkSync(folder, join(folder, "a/loop"));
symlinkSync("..", join(folder, "b/loop"));
symlinkSync("../c", join(folder, "b/link"));
symlinkSync("nowhere", join(folder, "b/broken"));

const pathsIn = (limits: Parameters<typeof filesBelow>[1]) => [...filesBelow(folder, limits)].map(({ path }) => path);

it("finds all files, in order, and follows no link to a folder", () => {
  expect(pathsIn({ maxEntries: 100 })).toEqual([
    ".git/three",
    "a/loop",
    "a/one",
    "a/z/two",
    "b/broken",
    "b/link",
    "b/loop",
    "c",
  ]);
});

it("searches no folder that it is told to leave out", () => {
  expect(pathsIn({ maxEntries: 100, enters: (name) => name === "b" })).toEqual(["b/broken", "b/link", "b/loop", "c"]);
});

it("ends at a folder with too many files and folders", () => {
  expect(pathsIn({ maxEntries: 12 })).toHaveLength(8);
  expect(() => pathsIn({ maxEntries: 11 })).toThrow(`${folder} contains more than 11 files`);
});
