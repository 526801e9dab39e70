import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";

/** Runs a command in a mount namespace of its own, in which it may mount. */
const unshare = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--mount"];
const canMount =
  spawnSync(unshare[0] as string, [...unshare.slice(1), "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
if (!canMount) process.stderr.write("SKIPPED the test of a full disk: a disk cannot be mounted in a namespace\n");

const diskMiB = 96;

/** A platform with SQLite on a small disk of its own, which the test fills and frees. */
class PlatformOnSmallDisk {
  readonly #folder = mkdtempSync(join(tmpdir(), "muster-full-disk-"));
  readonly #disk = mkdtempSync(join(this.#folder, "disk-"));
  readonly #token = join(this.#folder, "admin-token");
  readonly process: PlatformProcess;
  #url = "";

  /** @param fillerMiB how much of the disk something else takes already */
  constructor(fillerMiB = 0) {
    const filler = `head -c ${fillerMiB}M /dev/zero > ${join(this.#disk, "filler")}`;
    const mount = `mount -t tmpfs -o size=${diskMiB}m none ${this.#disk} && ${filler} && exec "$0" "$@"`;
    const flags = ["--data", join(this.#disk, "data"), "--admin-token-file", this.#token];
    const key = ["--key-file", join(this.#folder, "key")];
    this.process = new PlatformProcess([...flags, ...key], { launcher: [...unshare, "sh", "-c", mount] });
  }

  async start(): Promise<string> {
    const { address, rootGroup } = await this.process.listening();
    this.#url = `http://${address}`;
    return rootGroup;
  }

  /** A file of the disk, as the namespace of the platform has it. */
  #file(name: string): string {
    return `/proc/${this.process.pid}/root${join(this.#disk, name)}`;
  }

  get hasReserve(): boolean {
    return existsSync(this.#file("data.reserve"));
  }

  fillDisk(): void {
    const descriptor = openSync(this.#file("filler"), "a");
    try {
      for (let size = 1024 * 1024; size >= 512; ) {
        try {
          if (writeSync(descriptor, Buffer.alloc(size, 1)) < size) size /= 2;
        } catch {
          size /= 2;
        }
      }
    } finally {
      closeSync(descriptor);
    }
  }

  freeDisk(): void {
    rmSync(this.#file("filler"));
  }

  async call(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${readFileSync(this.#token, "utf8").trim()}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  }

  async writableMetric(): Promise<string | undefined> {
    return /^muster_platform_server_database_writable (\d)$/m.exec((await this.call("GET", "/metrics")).text)?.[1];
  }

  async stop(): Promise<void> {
    await this.process.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe.skipIf(!canMount)("a platform with SQLite whose disk is full", () => {
  it("serves reads, takes access away, says that no write succeeds, and goes on by itself when there is space", async () => {
    const platform = new PlatformOnSmallDisk();
    try {
      const root = await platform.start();
      const description = "x".repeat(500);
      const create = (name: string) => platform.call("POST", `/iam/v2beta1/groups/${root}`, { name, description });
      const created: string[] = [];
      for (let n = 0; n < 300; n++) {
        const { status, text } = await create(`group-${n}`);
        expect(status, text).toBe(200);
        created.push((JSON.parse(text) as { uid: string }).uid);
      }
      const claimMatch = { issuer: "https://issuer.example.com", subject: "worker" };
      const identity = await platform.call("POST", `/iam/v2beta1/identities/${root}`, { name: "worker", claimMatch });
      const { uid } = JSON.parse(identity.text) as { uid: string };
      expect(await platform.call("GET", "/readyz")).toEqual({ status: 200, text: "ok" });
      expect(platform.hasReserve).toBe(true);

      platform.fillDisk();
      let refused = await create("more");
      for (let n = 0; n < 50_000 && refused.status === 200; n++) refused = await create("more");
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.text).toContain("nothing was changed");
      await vi.waitFor(async () => {
        expect(await platform.call("GET", "/readyz")).toEqual({ status: 200, text: "ready, but no write succeeds" });
      }, 5_000);
      expect(await platform.writableMetric()).toBe("0");
      expect((await platform.call("GET", `/iam/v2beta1/groups/${root}`)).status).toBe(200);
      // The reserve is not there for those who fill the disk.
      platform.fillDisk();
      for (const group of created)
        expect(await platform.call("DELETE", `/iam/v2beta1/groups/${group}`)).toEqual({ status: 200, text: "" });
      expect((await platform.call("POST", `/iam/v2beta1/identities/${uid}:revokeTokens`)).status).toBe(200);
      expect((await create("more")).status).toBe(503);

      platform.freeDisk();
      await vi.waitFor(async () => expect((await create("again")).status).toBe(200), {
        timeout: 10_000,
        interval: 200,
      });
      await vi.waitFor(async () => {
        expect(await platform.call("GET", "/readyz")).toEqual({ status: 200, text: "ok" });
      }, 10_000);
      expect(await platform.writableMetric()).toBe("1");
      expect(platform.hasReserve).toBe(true);
      const { text } = await platform.call(
        "GET",
        "/audit/v1beta1/records?method=GroupsService/DeleteGroup&page_size=1",
      );
      expect(JSON.parse(text)).toMatchObject({ totalCount: String(created.length) });
    } finally {
      await platform.stop();
    }
  });

  it("warns at the start that there is no space for the reserve, and says truly whether writes succeed", async () => {
    const platform = new PlatformOnSmallDisk(50);
    try {
      const root = await platform.start();
      const warning = await platform.process.logged(({ msg }) => msg.includes("no space for the reserve"));
      expect(warning).toMatchObject({
        level: "warn",
        freeMiB: 64,
        msg: expect.stringContaining("make the volume larger"),
      });
      expect(platform.hasReserve).toBe(false);
      expect(await platform.call("GET", "/readyz")).toEqual({ status: 200, text: "ok" });
      expect(await platform.writableMetric()).toBe("1");

      const create = () =>
        platform.call("POST", `/iam/v2beta1/groups/${root}`, { name: "more", description: "x".repeat(500) });
      platform.fillDisk();
      for (let n = 0; n < 50_000 && (await create()).status === 200; n++);
      await vi.waitFor(async () => {
        expect(await platform.call("GET", "/readyz")).toEqual({ status: 200, text: "ready, but no write succeeds" });
      }, 5_000);
      expect(await platform.writableMetric()).toBe("0");

      platform.freeDisk();
      // Who asks lets the platform try, although nobody writes.
      await vi.waitFor(async () => expect(await platform.writableMetric()).toBe("1"), {
        timeout: 15_000,
        interval: 200,
      });
      await platform.process.logged(({ msg }) => msg.includes("the reserve of the disk is complete"));
      expect(platform.hasReserve).toBe(true);
    } finally {
      await platform.stop();
    }
  });
});
