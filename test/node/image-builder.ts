import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { withLock } from "#test/support/go-program/lock.ts";
import { systemPath } from "./requirements.ts";

const execute = promisify(execFile);
const env = { ...process.env, PATH: systemPath };

/** Worktrees of the same user have different images, of some hundred MB each. */
const keptOthers = 2;

/** An image that is built from a Dockerfile. */
export interface ImageSource {
  /** The whole name of the image, with its tag. */
  readonly reference: string;
  /** The content of which the image is a function. */
  readonly key: string;
  /** Makes the folder with the files of the build, where there is none. */
  prepare(folder: string): Promise<void>;
  /** The folder with a Dockerfile; by default, it is the one that `prepare` filled. */
  readonly context?: string;
}

/**
 * Builds images in the user's cache folder, with layers that are kept, and pulls none: an image is built on what was built before.
 * Mounts that a build needs are not seen outside of it.
 */
export class ImageBuilder {
  readonly #folder = join(cacheFolder(), "images");
  readonly #options: BuildOptions;

  constructor(options: BuildOptions) {
    this.#options = options;
  }

  /** Whether the folder of the cache is filled. */
  async has(name: string): Promise<boolean> {
    return exists(join(this.#folder, name));
  }

  /** A folder of the cache that is filled once. @returns its path */
  async once(name: string, title: string, fill: (folder: string) => Promise<void>): Promise<string> {
    const { progress } = this.#options;
    const folder = join(this.#folder, name);
    await mkdir(this.#folder, { recursive: true });
    await withLock(`${folder}.lock`, this.#options, async () => {
      if (await exists(folder)) return;
      progress?.(title);
      const unfinished = `${folder}.${process.pid}`;
      await mkdir(unfinished);
      try {
        await fill(unfinished);
        await rename(unfinished, folder);
      } finally {
        await rm(unfinished, { recursive: true, force: true });
      }
    });
    return folder;
  }

  /** Builds an image for others to be built on. */
  async base(image: ImageSource): Promise<void> {
    await this.#save(image, "base", async () => {});
  }

  /** Builds an image, unless it is in the cache. @returns an archive of it */
  async archive(image: ImageSource): Promise<string> {
    const folder = await this.#save(image, "archive", async (into) => {
      const file = `docker-archive:${join(into, "image.tar")}:${image.reference}`;
      await this.#buildah("push", image.reference, file);
    });
    return join(folder, "image.tar");
  }

  async #save(image: ImageSource, kind: string, save: (into: string) => Promise<void>): Promise<string> {
    const [, name = ""] = /([^/]+)$/.exec(image.reference) ?? [];
    const prefix = `${kind}-${name.replaceAll(":", "-")}-`;
    const hash = createHash("sha256").update(image.key).digest("hex").slice(0, 12);
    const path = await this.once(`${prefix}${hash}`, `building the image ${name}`, async (into) => {
      const prepared = `${into}.context`;
      try {
        await mkdir(prepared);
        await image.prepare(prepared);
        await withLock(join(this.#folder, "buildah.lock"), this.#options, async () => {
          const options = ["--isolation", "chroot", "--pull-never", "--layers", "--tag", image.reference];
          await this.#buildah("bud", ...options, image.context ?? prepared);
          await save(into);
        });
      } finally {
        await rm(prepared, { recursive: true, force: true });
      }
    });
    // A base image takes the tag of the one before, which must be built again.
    await this.removeOlder(prefix, path, kind === "base" ? 0 : keptOthers);
    return path;
  }

  /** Removes folders whose names differ in a hash at the end, but this one, and the newest of the others. */
  async removeOlder(prefix: string, current: string, kept = keptOthers): Promise<void> {
    const names = (await readdir(this.#folder)).filter(
      (name) => name.startsWith(prefix) && /^[0-9a-f]{12}$/.test(name.slice(prefix.length)),
    );
    const others = names.map((name) => join(this.#folder, name)).filter((path) => path !== current);
    const times = await Promise.all(others.map(async (path) => [path, (await stat(path)).mtimeMs] as const));
    for (const [path] of times.toSorted(([, a], [, b]) => b - a).slice(kept))
      await rm(path, { recursive: true, force: true });
  }

  async #buildah(command: string, ...args: readonly string[]): Promise<void> {
    const store = ["--storage-driver", "overlay", "--root", join(this.#folder, "store")];
    const options = [...store, "--runroot", join(this.#folder, "run"), command, ...args];
    const { signal } = this.#options;
    await execute("unshare", ["--mount", "--propagation", "private", "buildah", ...options], {
      env,
      maxBuffer: 2 ** 26,
      signal,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.trimEnd().split("\n").slice(-30).join("\n");
      throw new Error(`buildah ${command} failed:\n${output}`, { cause: error });
    });
  }
}

/** The hash of files, and of all files in folders that `includes` accepts, by their paths. */
export async function hashOf(
  root: string,
  paths: readonly string[],
  includes: (file: string) => boolean,
): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries?.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
    for (const file of files?.filter(includes).toSorted() ?? [join(root, path)])
      hash.update(file.slice(root.length)).update(await readFile(file));
  }
  return hash.digest("hex");
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
