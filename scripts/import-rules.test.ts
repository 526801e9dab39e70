import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

/**
 * The import rules are configuration, and a configuration that does not fire looks just like one that finds nothing.
 * So it is tried: on a tree of one-line files, each breaking or keeping one rule.
 */
const files = {
  "src/api/up.ts": 'import "#src/kube/store.ts";',
  "src/kube/sideways.ts": 'import "../platform-client/session.ts";',
  "src/platform/store/client.ts": 'import "#src/platform-client/uid.ts";',
  "src/platform/store/far.ts": 'import "../../kube/store.ts";',
  "src/platform-client/platform.ts": 'import "#src/platform/contract/uid.ts";',
  "src/runtime/kind.ts": 'import "#src/kinds/kinds.ts";',
  "src/reconcile/command.ts": 'import "#src/commands/operator.ts";',
  "src/commands/test.ts": 'import "../../test/support/harness/system.ts";',
  "src/telemetry/ok.ts": 'import "./log.ts";',
  "src/platform/store/ok.ts": 'import "../uid.ts";',
  "src/runtime/ok.ts": 'import "#src/time/clock.ts";',
  "src/reconcile/ok.ts": 'import "#src/platform-client/session.ts";',
  "src/commands/ok.ts": 'import "#src/reconcile/decide.ts";',
} as const;

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-import-rules-"));
  cpSync(".oxlintrc.json", join(folder, ".oxlintrc.json"));
  for (const [file, line] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${line}\n`);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("refuses exactly the imports that do not run downwards", () => {
  let output = "";
  try {
    execFileSync(join(process.cwd(), "node_modules/.bin/oxlint"), ["--format", "unix"], {
      cwd: folder,
      encoding: "utf8",
    });
  } catch (error) {
    output = (error as { stdout: string }).stdout;
  }
  const refused = output
    .split("\n")
    .filter((line) => line.includes("no-restricted-imports"))
    .map((line) => line.split(":")[0] ?? "");
  expect(new Set(refused)).toEqual(new Set(Object.keys(files).filter((file) => !file.endsWith("ok.ts"))));
});
