import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readTextFile } from "./read-text-file.ts";
import { requireFolderOf } from "./require-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-missing-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "file"), "text");

it.each([
  ["missing/file", `--ca: the folder ${folder}/missing does not exist; create it first`],
  ["missing", `--ca: the file ${folder}/missing does not exist`],
  ["", `--ca: ${folder}/ is a folder, not a file`],
])("says why the file %j cannot be read", async (path, message) => {
  await expect(readTextFile("--ca", join(folder, path) + (path === "" ? "/" : ""))).rejects.toThrow(message);
});

it("reads a file", async () => {
  expect(await readTextFile("--ca", join(folder, "file"))).toBe("text");
});

it("names the folder that a file to write needs", () => {
  expect(() => requireFolderOf("FILE", join(folder, "new"))).not.toThrow();
  expect(() => requireFolderOf("FILE", "new")).not.toThrow();
  expect(() => requireFolderOf("FILE", join(folder, "a/b"))).toThrow(`FILE: the folder ${folder}/a does not exist`);
  expect(() => requireFolderOf("FILE", join(folder, "file/b"))).toThrow(`FILE: ${folder}/file is not a folder`);
});
