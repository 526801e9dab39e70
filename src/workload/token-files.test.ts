import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TokenFiles } from "./token-files.ts";

const status = { identity: "a".repeat(40), expiry: "2026-01-01T12:30:00.000Z", renewed: "2026-01-01T11:30:00.000Z" };

/** In a pod, the volume is in memory. */
const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

describe("TokenFiles", () => {
  let folder = "";
  let files = new TokenFiles("");
  const mode = (name: string) => statSync(join(folder, name)).mode & 0o7777;
  beforeEach(() => {
    folder = mkdtempSync(join(memoryFolder, "muster-token-"));
    files = new TokenFiles(join(folder, "token"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("writes the token without a line break, and the status next to it", () => {
    expect(files.readStatus()).toBeUndefined();
    expect(files.readToken()).toBeUndefined();
    files.write("secret", status);
    expect(readFileSync(join(folder, "token"), "utf8")).toBe("secret");
    expect(JSON.parse(readFileSync(join(folder, "token.json"), "utf8"))).toEqual(status);
    expect(readdirSync(folder).toSorted()).toEqual(["token", "token.json"]);
    expect(files.readStatus()).toEqual(status);
    expect(files.readToken()).toBe("secret");
  });

  it("names the setting if the file cannot be written", () => {
    const inMissingFolder = new TokenFiles(join(folder, "missing", "token"));
    expect(() => inMissingFolder.write("secret", status)).toThrowError(
      /^--token-file: .*missing\/token cannot be written: ENOENT.*; name a file in a folder that exists/,
    );
  });

  it("lets every container read the files where the pod has no fsGroup", () => {
    files.write("secret", status);
    expect(["token", "token.json"].map(mode)).toEqual([0o444, 0o444]);
  });

  it("lets only owner and group read the files where the kubelet set the group of the volume", () => {
    // As the kubelet prepares an emptyDir volume for fsGroup.
    chmodSync(folder, 0o2777);
    files.write("secret", status);
    expect(["token", "token.json"].map(mode)).toEqual([0o440, 0o440]);
    expect(statSync(join(folder, "token")).gid).toBe(statSync(folder).gid);
  });

  it("replaces what a process left behind that was killed while it wrote", () => {
    files.write("first", status);
    writeFileSync(join(folder, ".token.new"), "sec", { mode: 0o444 });
    files.write("second", status);
    expect(files.readToken()).toBe("second");
    expect(readdirSync(folder).toSorted()).toEqual(["token", "token.json"]);
  });

  it("keeps the last token if it cannot write the next one", () => {
    files.write("first", status);
    mkdirSync(join(folder, ".token.new"));
    expect(() => files.write("second", status)).toThrowError();
    expect(files.readToken()).toBe("first");
  });

  it("keeps the last token if the volume is full in the middle of a write", () => {
    files.write("first", status);
    const writer = `
      import { TokenFiles } from ${JSON.stringify(new URL("./token-files.ts", import.meta.url))};
      new TokenFiles(${JSON.stringify(join(folder, "token"))}).write("second".repeat(100_000), { identity: "" });`;
    // The limit of a file's size, in blocks, has the effect of a full volume: a part is written.
    const script = 'ulimit -f 1; exec "$0" --input-type=module -e "$1"';
    const { stderr, status: code } = spawnSync("/bin/sh", ["-c", script, process.execPath, writer], {
      encoding: "utf8",
    });
    expect(stderr).toContain("EFBIG: file too large, write");
    expect(code).toBe(1);
    expect(statSync(join(folder, ".token.new")).size).toBeGreaterThan(0);
    expect(files.readToken()).toBe("first");
    files.write("third", status);
    expect(files.readToken()).toBe("third");
  });
});
