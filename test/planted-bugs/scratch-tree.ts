import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { editedText } from "./edit.ts";
import type { PlantedBug } from "./planted-bug.ts";

const thisTree = fileURLToPath(new URL("../../", import.meta.url));

/** A copy of this tree as it is now, with what is not committed, in which bugs are planted one at a time. It has the packages of this tree. */
export class ScratchTree {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  static create(): ScratchTree {
    // Stack traces contain the path, and tests look in them for secrets, which they call planted.
    const root = join(mkdtempSync(join(tmpdir(), "muster-scratch-")), "tree");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: thisTree, encoding: "utf8" });
    git("clone", "--quiet", "--shared", "--no-checkout", thisTree, root);
    git("-C", root, "checkout", "--quiet", "--detach", git("rev-parse", "HEAD").trim());
    const changes = git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all").split("\0");
    for (const change of changes.filter((one) => one !== "")) {
      const [state, path] = [change.slice(0, 2), change.slice(3)];
      if (state.includes("D")) rmSync(join(root, path));
      else cpSync(join(thisTree, path), join(root, path));
    }
    symlinkSync(join(thisTree, "node_modules"), join(root, "node_modules"));
    return new ScratchTree(root);
  }

  /** Runs `work` while the bug is in the tree. @throws {Error} also if the bug cannot be planted */
  async with<T>(bug: PlantedBug, work: () => Promise<T>): Promise<T> {
    const path = join(this.root, bug.file);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, editedText(bug, text));
    try {
      return await work();
    } finally {
      writeFileSync(path, text);
    }
  }

  remove(): void {
    rmSync(dirname(this.root), { recursive: true, force: true });
  }
}
