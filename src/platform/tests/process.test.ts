import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { program } from "#test/support/harness/program.ts";
import { Client, type Json } from "./running-platform.testing.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-process-"));
const data = join(folder, "data");
afterAll(() => rmSync(folder, { recursive: true }));

const logs: string[] = [];

const children: ChildProcess[] = [];
// A test that failed left its platform running, which would keep this process from ending.
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts `muster platform` as a process and waits until it listens. */
async function start(...settings: string[]): Promise<{ child: ChildProcess; admin: Client; root: string }> {
  const child = spawn(
    process.execPath,
    [program, "platform", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "debug", ...settings],
    {
      stdio: ["ignore", "inherit", "pipe"],
      env: { ...process.env, HTTPS_PROXY: "http://me:hidden@proxy.example:3128" },
    },
  );
  children.push(child);
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
    logs.push(line);
    const { msg, address, rootGroup } = JSON.parse(line) as { msg: string; address: string; rootGroup: string };
    if (msg !== "listening") continue;
    child.stderr?.on("data", (chunk: Buffer) => logs.push(chunk.toString()));
    const token = readFileSync(`${data}.admin-token`, "utf8").trim();
    return { child, admin: new Client(`http://${address}`, token), root: rootGroup };
  }
  throw new Error("the platform ended before it listened");
}

async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
  const exit = once(child, "exit");
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}

describe("muster platform", { timeout: 60_000 }, () => {
  it("keeps every acknowledged write after SIGKILL, and exact counts", async () => {
    const acknowledged: string[] = [];
    const reached = (count: number) =>
      vi.waitUntil(() => acknowledged.length >= count, { timeout: 10_000, interval: 1 });
    for (let round = 0; round < 3; round++) {
      const { child, admin, root } = await start();
      const writers = Array.from({ length: 8 }, async () => {
        for (;;) acknowledged.push(await admin.group(root, `r${round}`));
      });
      // They write until the process ends.
      const written = Promise.allSettled(writers);
      await reached(acknowledged.length + 40 + 17 * round);
      await end(child, "SIGKILL");
      await written;
    }
    const { child, admin, root } = await start();
    const found = new Set<string>();
    let count = "";
    for (let token: string | undefined = ""; token !== undefined; ) {
      const path: string = `/iam/v2beta1/groups?page_size=200&uidp.children_of=${root}&page_token=${token}`;
      const page: Json = await admin.ok("GET", path);
      for (const { uid } of page.groups) found.add(uid);
      token = page.nextPageToken;
      count = page.totalCount;
    }
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(acknowledged.filter((uid) => !found.has(uid))).toEqual([]);
    expect(count).toBe(String(found.size));
    expect(await end(child, "SIGTERM")).toBe(0);
  });

  it("does not start with a bad --init-file, and names the field", async () => {
    const file = join(folder, "init.yaml");
    writeFileSync(file, "rootGroup: {uid: short}\n");
    const unused = join(folder, "unused");
    const settings = ["platform", "--data", unused, "--listen", "127.0.0.1:0", "--init-file", file];
    const { status, stderr } = spawnSync(process.execPath, [program, ...settings], { encoding: "utf8" });
    expect(status).not.toBe(0);
    expect(stderr).toContain("--init-file: rootGroup.uid: must be 40 lowercase hex digits");
    expect(existsSync(unused)).toBe(false);
  });

  it("does not start if others can read the key file, or if it is missing beside its data", async () => {
    const { child } = await start();
    await end(child, "SIGTERM");
    const startAgain = () =>
      spawnSync(process.execPath, [program, "platform", "--data", data, "--listen", "127.0.0.1:0"], {
        encoding: "utf8",
        timeout: 50_000,
      });
    try {
      chmodSync(`${data}.key`, 0o644);
      const readable = startAgain();
      expect([readable.status, readable.stderr]).toEqual([1, expect.stringContaining(`run: chmod o-rwx ${data}.key`)]);
      renameSync(`${data}.key`, `${data}.backup`);
      const missing = startAgain();
      expect([missing.status, missing.stderr]).toEqual([
        1,
        expect.stringContaining("restore the file from its backup"),
      ]);
      expect(existsSync(`${data}.key`)).toBe(false);
    } finally {
      if (existsSync(`${data}.backup`)) renameSync(`${data}.backup`, `${data}.key`);
      chmodSync(`${data}.key`, 0o600);
    }
  }, 120_000);

  it("starts only once on its data, beside commands on it, and again after SIGKILL", async () => {
    const run = (...args: string[]) => runCommand(["platform", ...args, "--data", data]);
    const { child, admin, root } = await start();
    const refused = `--data: "muster platform" (process ${child.pid} on ${hostname()}, since`;
    const second = spawnSync(process.execPath, [program, "platform", "--data", data, "--listen", "127.0.0.1:0"], {
      encoding: "utf8",
      timeout: 50_000,
    });
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining(refused)]);
    expect(second.stderr).toContain(
      `uses ${data}: stop it first. Several platforms can only share a PostgreSQL database`,
    );
    const stopped = await run("rotate-key-file", "--stopped", "--new-key-file", join(folder, "unused.key"));
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining(refused)]);
    expect(existsSync(join(folder, "unused.key"))).toBe(false);
    for (const command of [
      ["audit"],
      ["admin-token", "--list"],
      ["rotate-signing-key"],
      ["backup", join(folder, "backup")],
    ])
      expect(await run(...command)).toMatchObject({ code: 0 });
    await admin.group(root, "after the commands");
    await end(child, "SIGKILL");
    const { child: next } = await start();
    expect(await end(next, "SIGTERM")).toBe(0);
  });

  it("completes running calls on SIGTERM, and exits with 0", async () => {
    const { child, admin } = await start("--latency", "300ms");
    const running = admin.get("/iam/v2beta1/groups");
    await admin.callsInFlight(1);
    expect(await end(child, "SIGTERM")).toBe(0);
    expect((await running).status).toBe(200);
    expect(logs.join("\n")).toContain('"settings":["--latency"],"msg":"settings for tests are in use');
  });

  it("makes the admin token and the key readable only by their owner, and keeps them out of the data and the logs", async () => {
    const { child, admin } = await start();
    await admin.get("/iam/v2beta1/groups");
    await end(child, "SIGTERM");
    for (const file of ["admin-token", "key"]) expect(statSync(`${data}.${file}`).mode & 0o777).toBe(0o600);
    expect(logs.join("\n")).toContain('"variables":["HTTPS_PROXY"],"msg":"the platform uses no proxy');
    expect(logs.join("\n")).not.toContain("hidden");
    const secrets = ["admin-token", "key"].map((file) => readFileSync(`${data}.${file}`, "utf8").trim());
    expect(logs.join("\n")).toContain("GroupsService/ListGroups");
    for (const secret of secrets) {
      expect(logs.join("\n")).not.toContain(secret);
      expect(readFileSync(data).includes(secret)).toBe(false);
    }
  });
});
