import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeImport } from "./import-folder.ts";
import { signedText } from "./signed-text.ts";

const group = "a".repeat(40);
const options = { group, isComplete: true };
const files = new Map([
  ["shop-1/group.yaml", "kind: Group\n"],
  ["shop-1/kustomization.yaml", "resources: []\n"],
  ["kustomization.yaml", "resources:\n  - shop-1\n"],
]);

let home = "";
let folder = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "muster-import-"));
  folder = join(home, "out");
});
afterEach(() => rmSync(home, { recursive: true }));

/** The texts of all files, without their headers, by path. */
function content(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const paths = names.filter((name) => lstatSync(join(folder, name)).isFile());
  return Object.fromEntries(
    paths.map((path) => [path, readFileSync(join(folder, path), "utf8").replace(/^# Written by .*\n/, "")]),
  );
}

it("creates the folder, and leaves no other file", () => {
  const { written, unchanged, removed, kept } = writeImport(folder, files, options);
  expect({ written, unchanged, removed, kept }).toEqual({
    written: [...files.keys()],
    unchanged: [],
    removed: [],
    kept: [],
  });
  expect(content()).toEqual(Object.fromEntries(files));
});

it("creates the folder as a whole, or not at all", () => {
  const failing = Object.assign(new Map(files), {
    *[Symbol.iterator]() {
      yield* files;
      throw new Error("no more");
    },
  });
  expect(() => writeImport(folder, failing, options)).toThrow("no more");
  expect(readdirSync(home)).toEqual([]);
  writeImport(folder, files, options);
  expect(readdirSync(home)).toEqual(["out"]);
});

it("changes no byte, and does not touch the files, if nothing changed", () => {
  writeImport(folder, files, options);
  const [before, time] = [content(), statSync(join(folder, "shop-1/group.yaml")).ino];
  expect(writeImport(folder, files, options)).toEqual({
    written: [],
    unchanged: [...files.keys()],
    removed: [],
    kept: [],
  });
  expect(content()).toEqual(before);
  expect(statSync(join(folder, "shop-1/group.yaml")).ino).toBe(time);
});

it("replaces what it wrote, and removes what no longer exists, with its folder", () => {
  writeImport(folder, new Map([...files, ["gone-1/group.yaml", "kind: Group\n"]]), options);
  const next = new Map([...files, ["shop-1/group.yaml", "kind: Group\nspec: {}\n"]]);
  const { written, removed } = writeImport(folder, next, options);
  expect([written, removed]).toEqual([["shop-1/group.yaml"], ["gone-1/group.yaml"]]);
  expect(existsSync(join(folder, "gone-1"))).toBe(false);
  expect(content()["shop-1/group.yaml"]).toBe("kind: Group\nspec: {}\n");
});

it("writes nothing if it could not see what it declared before", () => {
  writeImport(folder, new Map([...files, ["gone-1/group.yaml", "kind: Group\n"]]), options);
  const before = content();
  const next = new Map([...files, ["kustomization.yaml", "resources: []\n"]]);
  expect(() => writeImport(folder, next, { group, isComplete: false })).toThrow("such as gone-1/group.yaml");
  expect(content()).toEqual(before);
  writeImport(folder, next, options);
  expect(writeImport(folder, files, { group, isComplete: false }).written).toEqual(["kustomization.yaml"]);
});

describe("a file that stays", () => {
  const next = new Map([...files, ["shop-1/group.yaml", "kind: Group\nspec: {}\n"]]);
  const path = () => join(folder, "shop-1/group.yaml");
  const kept = (reason: string) => [{ path: "shop-1/group.yaml", reason }];

  it("was edited", () => {
    writeImport(folder, files, options);
    writeFileSync(path(), `${readFileSync(path(), "utf8")}# mine\n`);
    expect(writeImport(folder, next, options).kept).toEqual(kept("somebody edited it"));
    expect(content()["shop-1/group.yaml"]).toBe("kind: Group\n# mine\n");
  });

  it("was edited, and what it declares is gone", () => {
    writeImport(folder, files, options);
    writeFileSync(path(), `${readFileSync(path(), "utf8")}# mine\n`);
    const others = new Map([...files].filter(([name]) => name !== "shop-1/group.yaml"));
    const result = writeImport(folder, others, options);
    expect(result.kept).toEqual(kept("somebody edited it, and what it declares does not exist any more"));
    expect(result.removed).toEqual([]);
    expect(content()["shop-1/group.yaml"]).toBe("kind: Group\n# mine\n");
  });

  it("is of somebody else", () => {
    mkdirSync(join(folder, "shop-1"), { recursive: true });
    writeFileSync(path(), "kind: Group\n");
    writeFileSync(join(folder, "README.yaml"), "mine: yes\n");
    expect(writeImport(folder, files, options).kept).toEqual(kept("import did not write it"));
    expect(content()).toMatchObject({ "shop-1/group.yaml": "kind: Group\n", "README.yaml": "mine: yes\n" });
  });

  it("is of another import", () => {
    const other = { ...options, group: "b".repeat(40) };
    writeImport(
      folder,
      new Map([
        ["kustomization.yaml", "resources: []\n"],
        ["other.yaml", "a: b\n"],
      ]),
      other,
    );
    const result = writeImport(folder, files, options);
    expect(result.kept).toEqual([
      { path: "kustomization.yaml", reason: "import wrote it for another group: use another folder" },
    ]);
    expect(result.removed).toEqual([]);
    expect(content()["kustomization.yaml"]).toBe("resources: []\n");
  });

  it("has the header of another text", () => {
    mkdirSync(join(folder, "shop-1"), { recursive: true });
    const forged = signedText("kind: Group\n", group).replace("kind: Group", "kind: Forged");
    writeFileSync(path(), forged);
    expect(writeImport(folder, files, options).kept).toEqual(kept("somebody edited it"));
    expect(readFileSync(path(), "utf8")).toBe(forged);
  });

  it("is a symbolic link, which is not followed", () => {
    mkdirSync(join(folder, "shop-1"), { recursive: true });
    const target = join(home, "target");
    writeFileSync(target, signedText("kind: Group\n", group));
    symlinkSync(target, path());
    const [{ reason } = { reason: "" }] = writeImport(folder, next, options).kept;
    expect(reason).toContain("symbolic link");
    expect(lstatSync(path()).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe(signedText("kind: Group\n", group));
  });
});

describe("a folder that is refused before anything is written", () => {
  it("is a symbolic link", () => {
    const target = join(home, "target");
    mkdirSync(target);
    symlinkSync(target, folder);
    for (const path of [folder, `${folder}/`, `${folder}/.`])
      expect(() => writeImport(path, files, options)).toThrow("--dir: ");
    expect(readdirSync(target)).toEqual([]);
  });

  it("is a file", () => {
    writeFileSync(folder, "");
    expect(() => writeImport(folder, files, options)).toThrow("is not a folder");
  });

  it("contains a link where a folder belongs", () => {
    const target = join(home, "target");
    mkdirSync(target);
    mkdirSync(folder);
    symlinkSync(target, join(folder, "shop-1"));
    expect(() => writeImport(folder, files, options)).toThrow("is a symbolic link");
    expect([readdirSync(target), readdirSync(folder)]).toEqual([[], ["shop-1"]]);
  });
});

it("does not look for its files behind links, nor in hidden folders", () => {
  const outside = join(home, "outside");
  writeImport(outside, new Map([["old.yaml", "a: b\n"]]), options);
  mkdirSync(folder);
  symlinkSync(outside, join(folder, "link"));
  writeImport(join(folder, ".git"), new Map([["old.yaml", "a: b\n"]]), options);
  expect(writeImport(folder, files, options).removed).toEqual([]);
  expect(existsSync(join(outside, "old.yaml"))).toBe(true);
  expect(existsSync(join(folder, ".git/old.yaml"))).toBe(true);
});

describe("a file for what no longer exists", () => {
  const gone = "gone-1/group.yaml";
  const earlier = new Map([...files, [gone, "kind: Group\n"]]);
  const path = () => join(folder, gone);

  /** The files of an import, during which somebody does something. */
  function filesDuring(change: () => void): ReadonlyMap<string, string> {
    return Object.assign(new Map(files), {
      *[Symbol.iterator]() {
        change();
        yield* files;
      },
    });
  }

  it.each<[string, () => void]>([
    ["was edited", () => appendFileSync(path(), "# mine\n")],
    ["was replaced by another text of import", () => writeFileSync(path(), signedText("kind: Identity\n", group))],
    [
      "became a symbolic link",
      () => {
        writeFileSync(join(home, "target"), signedText("kind: Group\n", group));
        rmSync(path());
        symlinkSync(join(home, "target"), path());
      },
    ],
  ])("stays if it %s while import ran", (_, change) => {
    writeImport(folder, earlier, options);
    const { removed, kept } = writeImport(folder, filesDuring(change), options);
    expect(lstatSync(path(), { throwIfNoEntry: false })).toBeDefined();
    expect({ removed, kept }).toEqual({
      removed: [],
      kept: [{ path: gone, reason: "somebody changed it while import ran: run it again" }],
    });
  });

  it("may be removed by somebody else meanwhile", () => {
    writeImport(folder, earlier, options);
    const { removed, kept } = writeImport(
      folder,
      filesDuring(() => rmSync(path())),
      options,
    );
    expect({ removed, kept }).toEqual({ removed: [gone], kept: [] });
    expect(existsSync(join(folder, "gone-1"))).toBe(false);
  });
});
