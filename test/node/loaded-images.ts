import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, glob, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { startContainerd } from "./containerd.ts";
import { ImageBuilder } from "./image-builder.ts";
import { isolate } from "./isolation.ts";
import type { NodePrograms } from "./programs.ts";
import { Servers } from "./servers.ts";

const execute = promisify(execFile);

/**
 * The data of a containerd that has loaded the images: to load and unpack them takes longer than the start of a node. They are loaded
 * once, and kept in the cache.
 * @returns the path of the folder with the data
 */
export async function loadImages(
  programs: NodePrograms,
  archives: readonly string[],
  options: BuildOptions,
): Promise<string> {
  const key = createHash("sha256")
    .update([programs.containerd, ...archives].join("\0"))
    .digest("hex")
    .slice(0, 12);
  const builder = new ImageBuilder(options);
  const prefix = "loaded-";
  const loaded = await builder.once(`${prefix}${key}`, "loading the images into containerd", async (folder) => {
    const isolation = await isolate(programs.kubernetes);
    try {
      await startContainerd(new Servers(isolation, programs), isolation, folder);
      for (const archive of archives)
        await isolation.run(programs.containerd, "ctr", "--namespace", "k8s.io", "images", "import", archive);
    } finally {
      await isolation.end();
    }
  });
  await builder.removeOlder(prefix, loaded);
  return loaded;
}

/**
 * Copies such data. Files of images never change, so they are links where the file system permits it: it takes less than a second, and
 * their removal, too.
 */
export async function copyLoaded(from: string, to: string): Promise<void> {
  const copy = async (...options: readonly string[]) => execute("cp", ["--archive", ...options, from, to]);
  try {
    await copy("--link");
  } catch {
    await rm(to, { recursive: true, force: true });
    await copy();
    return;
  }
  for await (const database of glob("*/*.db", { cwd: to })) {
    const path = join(to, database);
    await copyFile(path, `${path}.copy`);
    await rename(`${path}.copy`, path);
  }
}
