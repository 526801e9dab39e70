import { readTextFile, SettingsError } from "#src/commands/settings/settings.ts";
import { isTokenText, platformKey } from "#src/login/credentials.ts";
import { readTokenClaims } from "#src/login/token-claims.ts";

/** The subject of every service-account token of Kubernetes begins with it, and that of no token of a platform. */
const serviceAccountPrefix = "system:serviceaccount:";

/** A token of a platform that is used instead of a login. */
export interface PlatformToken {
  /** The API URL of the platform; see `platformKey`. */
  readonly platform: string;
  readonly token: string;
}

/**
 * Reads the file of `--token-file`.
 * @throws {SettingsError} without `--platform-url`. @throws {Error} if the file has no token that a platform may get
 */
export async function readTokenFile(file: string, platformUrl: URL | undefined): Promise<PlatformToken> {
  if (platformUrl === undefined)
    throw new SettingsError(["--platform-url (or MUSTER_PLATFORM_URL) is required with --token-file"]);
  const token = (await readTextFile("--token-file", file)).trim();
  if (!isTokenText(token))
    throw new Error(`--token-file: ${file} does not contain a token on one line: write the token alone to it`);
  if (isServiceAccountToken(token))
    throw new Error(
      `--token-file (or MUSTER_TOKEN_FILE): ${file} has a service-account token, which is not one of the platform and is not sent to it: give a file with a token of the platform`,
    );
  return { platform: platformKey(platformUrl), token };
}

/** Whether a token is one of Kubernetes for a service account, which has to be exchanged. */
export function isServiceAccountToken(token: string): boolean {
  return readTokenClaims(token)?.identity?.startsWith(serviceAccountPrefix) === true;
}
