import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-webhook-"));
afterAll(() => rmSync(folder, { recursive: true }));

const url = "https://siem.example.com/muster";

it.each([
  ["only the URL", ["--audit-webhook", url], undefined, 0o600, "must be given together"],
  ["plain http", ["--audit-webhook", "http://siem.example.com/"], undefined, 0o600, "is not an https URL"],
  ["a short secret", ["--audit-webhook", url], "short", 0o600, "must have one secret of at least 32 characters"],
  ["a file for everybody", ["--audit-webhook", url], "x".repeat(32), 0o644, "every user of this machine can access"],
])("refuses %s, without the secret in the message", async (_, flags, secret, mode, message) => {
  const file = join(folder, `secret-${mode}-${secret?.length}`);
  if (secret !== undefined) writeFileSync(file, secret, { mode });
  const given = secret === undefined ? [] : ["--audit-webhook-secret-file", file];
  const data = join(folder, "data");
  const { code, stderr } = await runCommand([
    "platform",
    "--data",
    data,
    "--listen",
    "127.0.0.1:0",
    ...flags,
    ...given,
  ]);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  if (secret !== undefined) expect(stderr).not.toContain(`${secret} `);
});
