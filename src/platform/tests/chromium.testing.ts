import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import archive, { inflate, setupLambdaEnvironment } from "@sparticuz/chromium";
import { type Browser, chromium } from "playwright-core";

/**
 * Starts a headless Chromium, from the archive in its package. A machine without a desktop lacks libraries that it needs; the
 * package has them too. None of the package's own flags is used: they switch the security of the browser off.
 */
export async function startChromium(): Promise<Browser> {
  const packageFolder = dirname(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))));
  const libraries = await inflate(join(packageFolder, "bin", "al2023.tar.br"));
  setupLambdaEnvironment(join(libraries, "lib"));
  return chromium.launch({
    executablePath: await archive.executablePath(),
    // Tests run as root in containers, where there is no sandbox.
    args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"],
  });
}
