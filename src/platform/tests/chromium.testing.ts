import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import archive, { inflate, setupLambdaEnvironment } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";
import { withLock } from "#test/support/go-program/lock.ts";

const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));

/**
 * Starts a headless Chromium, from the archive in its package. A machine without a desktop lacks libraries that it needs; the
 * package has them too. None of the package's own flags is used: they switch the security of the browser off.
 */
export async function startChromium(): Promise<Browser> {
  await unpack();
  setupLambdaEnvironment(join(await unpackLibraries(), "lib"));
  return chromium.launch({
    executablePath: await archive.executablePath(),
    // Tests run as root in containers, where there is no sandbox.
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
}

/**
 * Unpacks the archive into the folder for temporary files, once for all test files: the package takes a file that exists for
 * a complete one, also while another process still writes it, or after one was killed while it did.
 */
async function unpack(): Promise<void> {
  const { version } = createRequire(import.meta.url)(join(packageFolder, "package.json")) as {
    readonly version: string;
  };
  const complete = join(tmpdir(), `muster-chromium-${version}`);
  await withLock(`${complete}.lock`, {}, async () => {
    if (existsSync(complete)) return;
    for (const name of ["chromium", "al2023", "fonts"])
      await rm(join(tmpdir(), name), { recursive: true, force: true });
    await archive.executablePath();
    await unpackLibraries();
    await writeFile(complete, "");
  });
}

function unpackLibraries(): Promise<string> {
  return inflate(join(packageFolder, "bin", "al2023.tar.br"));
}
