import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lintOverrides, readLayers } from "./import-rules.ts";

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
  "src/policy/ok.ts": 'import "#src/ground/x.ts";',
  "src/policy/ok-file.ts": 'import "../facts/facts.ts";',
  "src/policy/ok-own.ts": 'import "./own.ts";',
  "src/policy/ok-util.ts": 'import { inspect } from "node:util"; inspect(1);',
  "src/policy/ok.test.ts": 'import "./fixture.testing.ts"; import "node:fs";',
  "src/policy/bad-up.ts": 'import "#src/top/x.ts";',
  "src/policy/bad-relative.ts": 'import "../top/x.ts";',
  "src/policy/bad-file.ts": 'import "../facts/other.ts";',
  "src/policy/bad-type.ts": 'import type { X } from "../top/x.ts"; export type Y = X;',
  "src/policy/bad-export.ts": 'export * from "../top/x.ts";',
  "src/policy/bad-io.ts": 'import "node:fs";',
  "src/policy/bad-clock.ts": "export const now = () => Date.now();",
  "src/policy/bad-random.ts": "export const dice = () => Math.random();",
  "src/policy/bad-class.ts": "export class State {}",
  "src/policy/bad-support.ts": 'import "./fixture.testing.ts";',
  "src/policy/bad-test.ts": 'import "#test/support/x.ts";',
  "src/policy/ok-up.test.ts": 'import "#src/top/x.ts";',
  "src/ground/bad-sideways.ts": 'import "../facts/facts.ts";',
  "src/ground/bad-demo.ts": 'import "../../demo/x.ts";',
  "src/other/ok.ts": 'import "./inner/deep/x.ts";',
  "src/facts/bad-cycle.ts": 'import type { B } from "./bad-cycle-too.ts"; export type A = B;',
  "src/facts/bad-cycle-too.ts": 'import type { A } from "./bad-cycle.ts"; export type B = A | 1;',
};

describe("the rules", () => {
  let folder = "";
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  // A configuration that does not fire looks the same as code without a violation.
  it("refuse exactly the planted violations, types and cycles included", () => {
    folder = mkdtempSync(join(tmpdir(), "muster-import-rules-"));
    const { plugins, rules } = JSON.parse(readFileSync(".oxlintrc.json", "utf8")) as Record<string, object>;
    const config = {
      plugins,
      rules: { ...rules, "typescript/no-extraneous-class": "off" },
      overrides: lintOverrides(readLayers(table)),
    };
    writeFileSync(join(folder, ".oxlintrc.json"), JSON.stringify(config));
    writeFileSync(join(folder, "package.json"), '{"type": "module", "imports": {"#src/*": "./src/*"}}');
    for (const [file, line] of Object.entries(planted)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${line}\n`);
    }
    const program = join(process.cwd(), "node_modules/.bin/oxlint");
    const { stdout } = spawnSync(program, ["--format", "unix"], { cwd: folder, encoding: "utf8" });
    const refused = stdout.split("\n").flatMap((line) => /^(src\/[^:]+):/.exec(line)?.[1] ?? []);
    expect([...new Set(refused)].toSorted()).toEqual(
      Object.keys(planted)
        .filter((file) => file.includes("/bad"))
        .toSorted(),
    );
  });
});
