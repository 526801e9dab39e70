import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { initialize } from "#src/platform/initialize.ts";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";

let folder = "";
const data = () => join(folder, "data");
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "muster-admin-token-"));
  const database = new SqliteDatabase(data());
  await initialize(database, join(folder, "data.admin-token"), Date.now());
  await database.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]) => runCommand(["platform", "admin-token", ...args, "--data", data()]);

describe("muster platform admin-token", () => {
  it("prints only the token of a named admin, lists its name, and revokes it", async () => {
    const created = await run("--name", "alice@example.com", "--expires", "8h");
    expect(created).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^muster-admin-\S{43}\n$/) });
    expect(JSON.parse((await run("--name", "bob", "--expires", "1h", "-o", "json")).stdout)).toEqual({
      name: "bob",
      expires: expect.stringMatching(/Z$/),
      token: expect.stringMatching(/^muster-admin-/),
    });
    const listed = await run("--list");
    expect(listed.stdout).toMatch(/^NAME +EXPIRES\nalice@example\.com +\S+Z\nbob +\S+Z\n$/);
    expect(await run("--revoke", "bob")).toMatchObject({ code: 0, stdout: "Revoked the admin token of bob.\n" });
    expect(await run("--revoke", "bob")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("--list names them"),
    });
  });

  it.each([
    [[], "exactly one of --name, --revoke, --list and --rotate is required"],
    [["--rotate", "--list"], "exactly one of --name, --revoke, --list and --rotate is required"],
    [["--name", "alice"], "--name and --expires are given together"],
    [["--rotate", "--expires", "1h"], "--name and --expires are given together"],
    [["--name", "alice", "--expires", "721h"], '--expires: "721h" is longer than 720h'],
    [["--name", "Alice/x", "--expires", "1h"], '--name: "Alice/x" is not a name, such as alice'],
  ])("refuses %j", async (args, message) => {
    expect(await run(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
  });
});
