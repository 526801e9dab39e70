import { readTextSync } from "#src/files/read-text.ts";
import * as settings from "#src/commands/settings/settings.ts";

const shortest = 32;

/** The secrets in the file, one in each line. @throws {Error} that names the flag, without a secret in it */
export function readWebhookSecrets(flag: string, path: string): readonly string[] {
  let text: string;
  try {
    text = readTextSync(path);
  } catch (error) {
    throw settings.readError(flag, path, error);
  }
  const secrets = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (secrets.length === 0 || secrets.length > 2 || secrets.some(({ length }) => length < shortest))
    throw new Error(
      `${flag}: ${path} must have one secret of at least ${shortest} characters, or two in two lines, such as the output of: openssl rand -hex 32`,
    );
  return secrets;
}
