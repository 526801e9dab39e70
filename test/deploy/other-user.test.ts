import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyBundle } from "#test/support/harness/copy-bundle.ts";

const run = promisify(execFile);
const dockerHelper = fileURLToPath(new URL("../../src/docker-credential-muster.sh", import.meta.url));
/** The user of the image. Only root can become another one. */
const user = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : undefined;
if (user === undefined)
  process.stderr.write("image: the tests run as this user, because only root can become user 65532\n");

describe("the files of the image, run by its user", () => {
  let root = "";
  let data = "";
  let muster = "";
  /** What the image's user has: no home, no HOME and no variable but those of the image. */
  const options = () => ({
    ...user,
    cwd: "/",
    env: { PATH: dirname(process.execPath), NODE_ENV: "production", TMPDIR: "/nonexistent" },
  });

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "muster-image-"));
    root = join(folder, "image");
    data = join(folder, "data");
    muster = join(root, "usr/local/bin/muster");
    // As the Dockerfile does.
    await copyBundle(join(root, "usr/local/lib"));
    await mkdir(dirname(muster));
    await symlink("../lib/muster.mjs", muster);
    await copyFile(dockerHelper, join(dirname(muster), "docker-credential-muster"));
    await mkdir(data);
    if (user !== undefined) await chown(data, user.uid, user.gid);
    await chmod(folder, 0o755);
    for (const path of await readdir(root, { recursive: true, withFileTypes: true }))
      if (!path.isSymbolicLink()) await chmod(join(path.parentPath, path.name), 0o555);
  });
  afterAll(async () => {
    for (const path of await readdir(root, { recursive: true, withFileTypes: true }))
      if (path.isDirectory()) await chmod(join(path.parentPath, path.name), 0o755);
    await rm(dirname(root), { recursive: true });
  });

  it.each(["operator", "platform", "agent"])("print help: muster %s --help", async (command) => {
    const { stdout, stderr } = await run(muster, [command, "--help"], options());
    expect(stdout).toContain(`muster ${command}`);
    expect(stderr).toBe("");
  });

  it("answer docker, which finds the helper by its name", async () => {
    const { env, ...as } = options();
    const PATH = `${dirname(muster)}:${env.PATH}:/bin`;
    const { stdout } = await run("docker-credential-muster", ["list", "--registry", "registry.example.com"], {
      ...as,
      env: { ...env, PATH },
    });
    expect(JSON.parse(stdout)).toEqual({ "registry.example.com": "_token" });
  });

  it("serve a platform that writes nowhere but to its data", async () => {
    const args = ["platform", "--listen", "127.0.0.1:0", "--data", join(data, "platform.db")];
    const platform = spawn(muster, args, { ...options(), stdio: ["ignore", "ignore", "pipe"] });
    const ended = once(platform, "exit");
    try {
      for await (const line of createInterface({ input: platform.stderr })) {
        const { msg, address } = JSON.parse(line) as { readonly msg: string; readonly address?: string };
        if (msg !== "listening") continue;
        expect((await fetch(`http://${address}/readyz`)).status).toBe(200);
        break;
      }
      const token = await readFile(join(data, "platform.db.admin-token"), "utf8");
      expect(token.trim()).not.toBe("");
    } finally {
      platform.kill("SIGTERM");
      await ended;
    }
    expect(platform.exitCode).toBe(0);
  });
});
