import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { foldersWithoutStart, forbiddenImports, readLayers } from "./import-rules.ts";

const table = `
| folder | what it does | may import |
|---|---|---|
| \`src/top/\` | starts | below |
| \`src/policy/\` | decides; pure | \`ground/\`, \`facts/facts.ts\` |
| \`src/facts/\` | observes | – |
| \`src/ground/\` | serves | – |

| folder | what it does | may import |
|---|---|---|
| \`src/other/\` | stands apart | below |
| \`src/other/inner/**\` | generated | – |
`;

describe("the table", () => {
  it("gives each row its imports", () => {
    expect(readLayers(table).map(({ path, allowed, pure }) => [path, allowed, pure])).toEqual([
      ["src/top/", ["src/policy/", "src/facts/", "src/ground/"], false],
      ["src/policy/", ["src/ground/", "src/facts/facts.ts"], true],
      ["src/facts/", [], false],
      ["src/ground/", [], false],
      ["src/other/", ["src/other/inner/**"], false],
      ["src/other/inner/**", [], false],
    ]);
  });

  it.each([
    ["a row above", "| `src/a/` | x | – |\n| `src/b/` | x | `a/` |"],
    ["itself", "| `src/a/` | x | `a/` |"],
    ["a folder without a row", "| `src/a/` | x | `c/` |"],
  ])("is refused where a row names %s", (_, text) => {
    expect(() => readLayers(text)).toThrow(/no row below it/);
  });
});

/** Files of one import each. The rules must refuse exactly those whose names begin with `bad`. */
const planted = {
  "src/top/ok.ts": 'import "#src/policy/x.ts";',
  "src/top/ok-relative.ts": 'import "../ground/x.ts";',
  "src/top/ok-package.ts": 'import "undici"; import "node:fs";',
  "src/policy/ok.ts": 'import "#src/ground/x.ts";',
  "src/policy/ok-file.ts": 'import "../facts/facts.ts";',
  "src/policy/ok-own.ts": 'import "./own.ts";',
  "src/policy/ok.test.ts": 'import "./fixture.testing.ts";',
  "src/policy/ok-up.test.ts": 'import "#src/top/x.ts";',
  "src/policy/ok-up.testing.ts": 'import "#src/top/x.ts";',
  "src/policy/bad-up.ts": 'import "#src/top/x.ts";',
  "src/policy/bad-relative.ts": 'import "../top/x.ts";',
  "src/policy/bad-file.ts": 'import "../facts/other.ts";',
  "src/policy/bad-type.ts": 'import type { X } from "../top/x.ts"; export type Y = X;',
  "src/policy/bad-lines.ts": 'import {\n  type X,\n} from "../top/x.ts";',
  "src/policy/bad-export.ts": 'export * from "../top/x.ts";',
  "src/policy/bad-demand.ts": 'const x = await import("../top/x.ts");',
  "src/policy/bad-demand-lines.ts": 'const x = await import(\n  "../top/x.ts"\n);',
  "src/policy/bad-support.ts": 'import "./fixture.testing.ts";',
  "src/policy/bad-test.ts": 'import "#test/support/x.ts";',
  "src/ground/bad-sideways.ts": 'import "../facts/facts.ts";',
  "src/ground/bad-demo.ts": 'import "../../demo/x.ts";',
  "src/other/ok.ts": 'import "./inner/deep/x.ts";',
  "src/other/inner/ok.ts": 'import "#src/ground/x.ts";',
  "src/nowhere/bad-row.ts": "export const x = 1;",
};

describe("the check", () => {
  const problems = forbiddenImports(new Map(Object.entries(planted)), readLayers(table));

  it("refuses exactly the planted imports, types included", () => {
    expect(problems.map((problem) => /^[^ :]+/.exec(problem)?.[0] ?? "").toSorted()).toEqual(badOf(planted));
  });

  it.each([
    [
      "bad-up",
      "src/policy/bad-up.ts imports src/top/x.ts, but src/policy/ may import only ground/, facts/facts.ts. Pass it in, or move the code that both need to a folder below; if the design changes, change the row of src/policy/ in src/README.md, which may name only rows below it.",
    ],
    [
      "bad-test",
      "src/policy/bad-test.ts imports test/support/x.ts, which supports tests or runs outside of Muster. Move what production needs of it into src/.",
    ],
    [
      "bad-row",
      "src/nowhere/bad-row.ts: its folder has no row in src/README.md. Add one: what it does, and what it may import.",
    ],
  ])("says of %s what to do", (name, message) => {
    expect(problems.filter((problem) => problem.includes(`/${name}.ts`))).toEqual([message]);
  });
});

describe("a folder with more than ten files", () => {
  const files = (count: number, ...more: readonly string[]) => [
    ...Array.from({ length: count }, (_, index) => `src/a/b/file${index}.ts`),
    ...more.map((name) => `src/a/b/${name}`),
  ];
  const problemsOf = (all: readonly string[], description = "b") =>
    foldersWithoutStart(all, `| \`src/a/b/\` | ${description} | – |`);

  it("has one where a reader starts", () => {
    expect(problemsOf(files(11))).toEqual([
      'src/a/b/ has 11 files, and no b.ts, where a reader would start. Write "Start at `FILE.ts`." into its row in src/README.md, or name a file after the folder.',
    ]);
    expect(problemsOf(files(11), "b. Start at `other.ts`.")).toEqual([expect.stringContaining("no other.ts")]);
  });

  it("has one outside of production, too, where tests do not count", () => {
    const support = files(11, "x.test.ts").map((file) => file.replace("src/", "test/"));
    expect(problemsOf(support)).toEqual([expect.stringContaining("test/a/b/ has 11 files, and no b.ts")]);
    expect(foldersWithoutStart(support, "| `test/a/b/` | b. Start at `x.test.ts`. |")).toEqual([]);
  });

  it.each([
    ["it has ten", files(10, "x.test.ts", "x.testing.ts"), "b"],
    ["one has its name", files(11, "b.ts"), "b"],
    ["its row names one", files(11), "b. Start at `file3.ts`."],
    ["one beside it has its name", [...files(11), "src/a/b.ts"], "b"],
    ["it is a program", files(11, "main.ts"), "b"],
    ["it has a README", files(11, "README.md"), "b"],
  ])("needs no more if %s", (_, all, description) => {
    expect(problemsOf(all, description)).toEqual([]);
  });
});

/** What the linter refuses, where the names begin with `bad`. The first folder is one that the configuration calls pure. */
const impure = {
  "src/access/ok-util.ts": 'import { inspect } from "node:util"; inspect(1);',
  "src/access/ok.test.ts": 'import "node:fs";',
  "src/access/bad-io.ts": 'import "node:fs";',
  "src/access/bad-clock.ts": "export const now = () => Date.now();",
  "src/access/bad-random.ts": "export const dice = () => Math.random();",
  "src/access/bad-class.ts": "export class State {}",
  "src/kube/ok-clock.ts": "export const now = () => Date.now();",
  "src/kube/bad-cycle.ts": 'import type { B } from "./bad-cycle-too.ts"; export type A = B;',
  "src/kube/bad-cycle-too.ts": 'import type { A } from "./bad-cycle.ts"; export type B = A | 1;',
};

describe("the linter", () => {
  let folder = "";
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  // A configuration that does not fire looks the same as code without a violation.
  it("refuses what is not pure, and cycles, types included", () => {
    folder = mkdtempSync(join(tmpdir(), "muster-import-rules-"));
    const { plugins, rules, overrides } = JSON.parse(readFileSync(".oxlintrc.json", "utf8")) as Record<string, object>;
    const config = { plugins, rules: { ...rules, "typescript/no-extraneous-class": "off" }, overrides };
    writeFileSync(join(folder, ".oxlintrc.json"), JSON.stringify(config));
    writeFileSync(join(folder, "package.json"), '{"type": "module", "imports": {"#src/*": "./src/*"}}');
    for (const [file, line] of Object.entries(impure)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${line}\n`);
    }
    const program = join(process.cwd(), "node_modules/.bin/oxlint");
    const { stdout } = spawnSync(program, ["--format", "unix"], { cwd: folder, encoding: "utf8" });
    const refused = stdout.split("\n").flatMap((line) => /^(src\/[^:]+):/.exec(line)?.[1] ?? []);
    expect([...new Set(refused)].toSorted()).toEqual(badOf(impure));
  });
});

function badOf(files: object): string[] {
  return Object.keys(files)
    .filter((file) => file.includes("/bad"))
    .toSorted();
}
