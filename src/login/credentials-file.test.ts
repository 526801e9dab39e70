import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "#src/time/clock.ts";
import { type Credentials, type Login, noCredentials } from "./credentials.ts";
import { CredentialsFile } from "./credentials-file.ts";

const platform = "https://platform.example.com";
const login: Login = {
  authUrl: "https://auth.example.com",
  platformCa: "/etc/ca.pem",
  through: { group: "a".repeat(40) },
  audiences: [platform, "https://registry.example.com"],
  tokens: { accessToken: "access", expiresAt: 1_800_000_000_000, refreshToken: "refresh", endsAt: 1_800_080_000_000 },
};
const credentials: Credentials = { current: platform, logins: new Map([[platform, login]]) };

let base = "";
let folder = "";
let file = new CredentialsFile("");
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "muster-credentials-"));
  folder = join(base, "config/muster");
  file = new CredentialsFile(folder);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const options = () => ({ clock: systemClock, signal: new AbortController().signal });
const write = (next: Credentials) => file.change(options(), async ({ save }) => save(next));
const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const failure = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return "no failure";
};

describe("the credentials file", () => {
  it("is read as it was written, by its owner alone", async () => {
    expect(file.read()).toEqual(noCredentials);
    const umask = process.umask(0);
    try {
      await write(credentials);
    } finally {
      process.umask(umask);
    }
    expect(file.read()).toEqual(credentials);
    expect([modeOf(join(base, "config")), modeOf(folder), modeOf(file.path)]).toEqual(["700", "700", "600"]);
    expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual(["600", "600"]);
    await write({ logins: new Map([[platform, { ...login, tokens: { accessToken: "a", expiresAt: 0 } }]]) });
    expect(file.read().logins.get(platform)?.tokens).toEqual({ accessToken: "a", expiresAt: 0 });
  });

  it("is not used if others can access it or its folder, and says how to change that", async () => {
    await write(credentials);
    for (const mode of [0o644, 0o640, 0o602]) {
      chmodSync(file.path, mode);
      expect(failure(() => file.read())).toBe(
        `other users of this machine can access ${file.path} (mode 0${mode.toString(8)}); run: chmod 600 ${file.path}`,
      );
      await expect(write(credentials)).rejects.toThrow("run: chmod 600");
    }
    chmodSync(file.path, 0o600);
    chmodSync(folder, 0o755);
    expect(failure(() => file.read())).toBe(
      `other users of this machine can access ${folder} (mode 0755); run: chmod 700 ${folder}`,
    );
    await expect(write(credentials)).rejects.toThrow("run: chmod 700");
  });

  it.runIf(process.getuid?.() === 0)("is not used if it belongs to another user", async () => {
    await write(credentials);
    for (const path of [file.path, folder]) {
      chownSync(path, 12_345, 12_345);
      expect(failure(() => file.read())).toContain(`${path} belongs to another user (uid 12345)`);
      chownSync(path, 0, 0);
    }
  });

  it("follows a link to the folder, and not one in place of the file", async () => {
    await write(credentials);
    renameSync(folder, join(base, "elsewhere"));
    symlinkSync(join(base, "elsewhere"), folder);
    await write({ ...credentials, logins: new Map([[platform, { ...login, authUrl: platform }]]) });
    expect(file.read().logins.get(platform)?.authUrl).toBe(platform);
    renameSync(file.path, join(base, "target"));
    symlinkSync(join(base, "target"), file.path);
    expect(failure(() => file.read())).toContain(`${file.path} is a symbolic link`);
    await expect(write(credentials)).rejects.toThrow("is a symbolic link");
    expect(readFileSync(join(base, "target"), "utf8")).toContain("refresh");
  });

  it("is not used if it was cut off, at any length, or is something else", async () => {
    await write(credentials);
    const whole = readFileSync(file.path);
    for (let length = 0; length < whole.length - 1; length += 7) {
      truncateSync(file.path, length);
      expect(failure(() => file.read())).toBe(
        `${file.path} does not contain the credentials of this version of muster; remove the file and log in again: rm ${file.path}`,
      );
      writeFileSync(file.path, whole);
    }
    for (const text of [
      "[]",
      '{"version":2,"logins":{}}',
      '{"version":1,"logins":{"x":{}}}',
      whole.toString().replace('"access"', '"acc\\ness"'),
      whole.toString().replace('"current": "https', '"current": "http'),
      `${" ".repeat(5_000_000)}${whole.toString()}`,
    ]) {
      writeFileSync(file.path, text);
      expect(failure(() => file.read())).toContain("remove the file and log in again");
    }
  });

  it("names a folder, a pipe or a file in the wrong place", async () => {
    mkdirSync(file.path, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    expect(failure(() => file.read())).toContain(`${file.path} is not a file; remove it`);
    rmSync(file.path, { recursive: true });
    spawnSync("mkfifo", ["-m", "600", file.path]);
    expect(failure(() => file.read())).toContain("is not a file");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    expect(failure(() => file.read())).toContain("is not a folder");
    await expect(write(credentials)).rejects.toThrow(/there is a file of that name/);
  });

  it("keeps the old content, and does not begin the work, if the disk is full", async () => {
    if (process.platform !== "linux") return;
    await write(credentials);
    // The limit of a file's size fails a write as a full disk does, before anything is renamed.
    const script = `
      import { CredentialsFile } from "#src/login/credentials-file.ts";
      import { systemClock } from "#src/time/clock.ts";
      process.on("SIGXFSZ", () => {});
      const file = new CredentialsFile(process.argv[1]);
      let began = false;
      const work = async ({ save, credentials }) => { began = true; save(credentials); };
      await file.change({ clock: systemClock, signal: new AbortController().signal }, work)
        .catch((error) => console.log(began, error.message));`;
    const { stdout, stderr } = spawnSync(
      "sh",
      ["-c", 'ulimit -f 0; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, script, folder],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toContain(`false the credentials cannot be written to ${file.path}: `);
    expect(file.read()).toEqual(credentials);
    expect(readdirSync(folder).toSorted()).toEqual(["credentials.json", "credentials.lock"]);
  });

  it("is whole whenever a process that writes it is killed", async () => {
    await write(credentials);
    const script = `
      import { CredentialsFile } from "#src/login/credentials-file.ts";
      import { systemClock } from "#src/time/clock.ts";
      const file = new CredentialsFile(process.argv[1]);
      for (let round = 0; ; round += 1)
        await file.change({ clock: systemClock, signal: new AbortController().signal }, async ({ save, credentials }) => {
          if (round === 1) console.log("writing");
          save({ ...credentials, logins: new Map([...credentials.logins].map(([key, login]) =>
            [key, { ...login, tokens: { accessToken: "x".repeat(round % 9000 + 1), expiresAt: round } }])) });
        });`;
    for (let killed = 0; killed < 5; killed += 1) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], { cwd: resolve(".") });
      await once(child.stdout, "data");
      // Some more rounds, whose number differs.
      for (let reads = 0; reads < 20 * killed; reads += 1) file.read();
      child.kill("SIGKILL");
      await once(child, "exit");
      expect(file.read().current).toBe(platform);
      // The lock ended with the process.
      await write({ ...credentials });
      expect(file.read()).toEqual(credentials);
      expect(existsSync(`${file.path}.new`)).toBe(false);
    }
  });

  it("is changed by one process at a time, and no change is lost", async () => {
    await write({ logins: new Map() });
    const script = `
      import { CredentialsFile } from "#src/login/credentials-file.ts";
      import { systemClock } from "#src/time/clock.ts";
      const [folder, name] = process.argv.slice(1);
      const file = new CredentialsFile(folder);
      for (let round = 0; round < 5; round += 1)
        await file.change({ clock: systemClock, signal: new AbortController().signal }, async ({ save, credentials }) => {
          await new Promise((done) => setTimeout(done, 5));
          const login = { authUrl: "https://a", through: { group: "g" }, audiences: [] };
          save({ logins: new Map(credentials.logins).set("https://" + name + round, login) });
        });`;
    const runs = ["a", "b", "c"].map(async (name) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder, name], { stdio: "inherit" });
      expect(await once(child, "exit")).toEqual([0, null]);
    });
    // This process takes part, too, twice.
    const own = ["d", "e"].map((name) =>
      file.change(options(), async ({ credentials: now, save }) => {
        await new Promise((done) => setTimeout(done, 5));
        save({ logins: new Map(now.logins).set(`https://${name}`, login) });
      }),
    );
    await Promise.all([...runs, ...own]);
    expect(file.read().logins.size).toBe(17);
  });

  it("can be waited for until the command is stopped", async () => {
    const stop = new AbortController();
    const holding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holder = file.change(options(), () => {
      holding.resolve();
      return release.promise;
    });
    await holding.promise;
    const waiting = file.change({ clock: systemClock, signal: stop.signal }, async () => undefined);
    stop.abort(new Error("stopped by SIGINT"));
    await expect(waiting).rejects.toThrow("stopped by SIGINT");
    release.resolve();
    await holder;
  });

  it("reports after 30 s that another process does not release it", async () => {
    let now = 0;
    const clock: Clock = { ...systemClock, monotonic: () => now, sleep: async (ms) => void (now += ms) };
    const waiting = file.change(options(), () =>
      file.change({ ...options(), clock }, async () => undefined).catch((error: Error) => error.message),
    );
    expect(await waiting).toBe(
      `another process has used the credentials for 30 s; wait for it or end it: it holds ${folder}/credentials.lock`,
    );
    expect(now).toBeGreaterThan(30_000);
  });

  it("reports a lock file that is something else", async () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, "credentials.lock"), "x".repeat(5000));
    await expect(write(credentials)).rejects.toThrow(/credentials\.lock cannot be locked: /);
  });
});
